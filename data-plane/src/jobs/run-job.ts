import { type JobLanguage, jobIdForKey, newId, Problem, type RunJob } from '@holdfast/specs/public';
import type { Runtime } from '../runtimes/runtime.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession, refuseUnlessActive } from '../sessions/existing-session.ts';
import { agreeOnPolicy, judge, PolicyChanged } from '../sessions/policy/under-policy.ts';
import { hasSandbox } from '../sessions/status.ts';
import { refuseUnlessRecording } from '../steps/admit-step.ts';
import { repeatedStep } from '../steps/follow-step.ts';
import type { LiveStep } from '../steps/live-step.ts';
import { type OwnSessionDependencies, runInOwnSession } from './run-in-own-session.ts';
import { jobRequestText, refuseJob, startJob } from './start-job.ts';

export type RunJobDependencies = OwnSessionDependencies & { runtime: Pick<Runtime, 'name' | 'capabilities'> };

type RunJobInput = { caller: Caller; request: RunJob; idempotencyKey?: string };

/**
 * Runs a file once in a process of its own, in the session that the request names or in a session created for this job. Resolves as
 * soon as the agent has taken the job; its events are read from the live step.
 *
 * @throws Problem if the job did not start. Nothing of it is recorded then.
 */
export async function runJob(deps: RunJobDependencies, input: RunJobInput): Promise<LiveStep> {
  refuseUnlessRecording(deps);
  const { sessionId } = input.request;
  return await (sessionId ? runInSession(deps, { ...input, sessionId }) : runInOwnSession(deps, input));
}

async function runInSession(
  deps: RunJobDependencies,
  { caller, sessionId, request, idempotencyKey }: RunJobInput & { sessionId: string },
): Promise<LiveStep> {
  const key = { id: sessionId, tenant: caller.tenant };
  const session = await existingSession(deps.db, key);
  const id = idempotencyKey ? jobIdForKey(sessionId, idempotencyKey) : newId('job');
  if (idempotencyKey && !hasSandbox(session.status)) {
    const fingerprint = deps.seal.fingerprint(jobRequestText(request));
    const earlier = await repeatedStep(deps, { sessionId, stepId: id, fingerprint, mayRun: request.wait === false });
    if (earlier) return earlier;
  }
  refuseUnlessActive(session);
  const start = async () => {
    const resolved = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
    const { route, decision } = await judge(deps, { route: resolved, language: request.language });
    if (!decision.allowed) return await refuseJob(deps, { id, route, caller, request, rule: decision.rule });
    refuseUnlessInstalled(deps, { profile: session.profile, language: request.language });
    return await startJob(deps, { id, route, caller, request, areInputsThere: false });
  };
  return await start().catch(async (error) => {
    if (!(error instanceof PolicyChanged)) throw error;
    await agreeOnPolicy(deps, { sessionId, tenant: caller.tenant });
    return await start();
  });
}

/** If the profile is no longer in the operator's list, the sandbox decides whether it has the language. */
function refuseUnlessInstalled(
  { runtime }: Pick<RunJobDependencies, 'runtime'>,
  { profile, language }: { profile: string; language: JobLanguage },
): void {
  const offered = runtime.capabilities.profiles.find(({ name }) => name === profile);
  if (!offered || offered.languages.includes(language)) return;
  const detail = `the session's profile "${profile}" has ${offered.languages.join(', ')}, not ${language}`;
  throw new Problem('unsupported-by-runtime', { detail, errors: [{ pointer: '/language', detail }] });
}
