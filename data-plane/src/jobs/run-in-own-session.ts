import { jobIdForKey, newId, Problem, type RunJob } from '@holdfast/specs/public';
import { findStep } from '../registry/steps/find-step.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { Caller } from '../sessions/caller.ts';
import { chooseTerms, type Terms } from '../sessions/create/choose-terms.ts';
import { type CreateSessionDependencies, createOrResume } from '../sessions/create/create-session.ts';
import { endWithoutWaiting } from '../sessions/end-and-fence.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { idempotently } from '../sessions/idempotently.ts';
import type { Admissions } from '../steps/admissions.ts';
import { type FollowDependencies, repeatedStep } from '../steps/follow-step.ts';
import type { LiveStep } from '../steps/live-step.ts';
import { jobSession } from './job-session.ts';
import { jobRequestText, type StartJobDependencies, startJob } from './start-job.ts';

export type OwnSessionDependencies = CreateSessionDependencies &
  StartJobDependencies &
  FollowDependencies & { runtime: Runtime; admissions: Pick<Admissions, 'withdrawGivenUp'> };

type OwnSessionInput = { caller: Caller; request: RunJob; idempotencyKey?: string };
type Names = { sessionId: string; jobId: string };

/**
 * Runs a job in a session that is created for it and ends with it. A repeat with the same `Idempotency-Key` finds the session and the
 * job of the first request, even if the replica that served it is gone.
 */
export async function runInOwnSession(deps: OwnSessionDependencies, input: OwnSessionInput): Promise<LiveStep> {
  const { caller, request, idempotencyKey } = input;
  const terms = chooseTerms(deps.runtime, { policy: deps.defaults.policy, request: { language: request.language } });
  const text = jobRequestText(request);
  const first = {
    tenant: caller.tenant,
    // A client's key cannot contain a space, so this one is not among them.
    key: idempotencyKey && `run ${idempotencyKey}`,
    request: text,
    newId: newId('ses'),
  };
  const started: LiveStep[] = [];
  const names = await idempotently<Names>(deps, first, async (sessionId, { resumed }) => {
    const jobId = idempotencyKey ? jobIdForKey(sessionId, idempotencyKey) : newId('job');
    // A job that was admitted before a crash is never sent again: the replica that it is handed over to records how it ended.
    const wasAdmitted = resumed && (await findStep(deps.db, { sessionId, stepId: jobId })) !== null;
    if (!wasAdmitted) started.push(await begin(deps, { ...input, terms, sessionId, jobId, resumed }));
    return { sessionId, jobId };
  });
  return started[0] ?? (await repeated(deps, { ...names, caller, text, mayRun: request.wait === false }));
}

type Beginning = OwnSessionInput & Names & { terms: Terms; resumed: boolean };

/** Ends the session if the job does not start. Otherwise the session ends with the job. */
async function begin(deps: OwnSessionDependencies, beginning: Beginning): Promise<LiveStep> {
  const { caller, request, sessionId, jobId, terms, resumed } = beginning;
  const made = { id: sessionId, resumed, caller, terms, jobId, request: jobSession(request, deps) };
  const { epoch } = await createOrResume(deps, made).catch((error) => {
    throw resumed && error instanceof Problem && error.slug === 'session-ended' ? endedBefore(error) : error;
  });
  try {
    const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
    return await startJob(deps, { id: jobId, route, caller, request, areInputsThere: true });
  } catch (error) {
    deps.background(endUnused(deps, { sessionId, epoch, jobId }));
    throw error;
  }
}

/** Keeps the session if the job exists: another replica may have started it if this one was silent for long. */
async function endUnused(
  deps: OwnSessionDependencies,
  { sessionId, epoch, jobId }: Names & { epoch: number },
): Promise<void> {
  await deps.admissions.withdrawGivenUp();
  if (await findStep(deps.db, { sessionId, stepId: jobId })) return;
  await endWithoutWaiting(deps, { id: sessionId, epoch, to: 'completed', reason: 'job_ended' });
}

const endedBefore = (cause: Problem) =>
  new Problem('sandbox-unreachable', {
    detail: 'the session that was created for the job ended before the job started',
    retryAfterSeconds: 1,
    cause,
  });

type Repeated = Names & { caller: Caller; text: string; mayRun: boolean };

/** The job that an earlier request started. */
async function repeated(
  deps: OwnSessionDependencies,
  { sessionId, jobId, caller, text, mayRun }: Repeated,
): Promise<LiveStep> {
  const fingerprint = deps.seal.fingerprint(text);
  const live = await repeatedStep(deps, { sessionId, stepId: jobId, fingerprint, mayRun });
  if (live) return live;
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  throw new Problem('not-found', { detail: `job ${jobId} does not exist any more` });
}
