import { createHash } from 'node:crypto';
import type { AgentJob } from '@holdfast/specs/agent';
import { Problem, type RunJob } from '@holdfast/specs/public';
import type { PutFileDependencies } from '../files/put-file.ts';
import type { Seal } from '../keys/seal.ts';
import { isHeldByAnother } from '../registry/steps/held-by-another.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { type AdmitDependencies, admitStep, refuseByPolicy } from '../steps/admit-step.ts';
import type { SendToAgent } from '../steps/frames/read-to-end.ts';
import type { LiveStep } from '../steps/live-step.ts';
import type { StepRecorder } from '../steps/recording/step-recorder.ts';
import { type SendDependencies, sendStep } from '../steps/send-step.ts';
import { jobInputs, recordJobInputs } from './job-inputs.ts';
import { type JobStep, jobStep } from './job-step.ts';
import { writeInputs } from './write-inputs.ts';

export type StartJobDependencies = AdmitDependencies &
  SendDependencies &
  PutFileDependencies & {
    recorder: StepRecorder;
    seal: Pick<Seal, 'fingerprint'>;
    stepTimeoutMs: number;
  };

type StartJobInput = {
  id: string;
  route: Route;
  caller: Caller;
  request: RunJob;
  /** Whether the sandbox was started with the job's files in its workspace. */
  areInputsThere: boolean;
};

/**
 * Admits a job, writes its inputs and starts it. Resolves as soon as the agent has taken the job. If an earlier request had the same
 * id, resolves with the job that it started.
 *
 * @throws Problem if the job did not start. Nothing of it is recorded then, but input files that were written stay.
 */
export async function startJob(
  deps: StartJobDependencies,
  { id, route, caller, request, areInputsThere }: StartJobInput,
): Promise<LiveStep> {
  const wanted = jobStep(deps, { id, caller, route, request });
  const fingerprint = deps.seal.fingerprint(jobRequestText(request));
  const { tenant } = caller;
  const mayRun = request.wait === false;
  const admission = await admitStep(deps, { start: wanted, tenant, fingerprint, mayRun, route });
  if (admission.kind === 'repeated') return admission.live;
  const start = { ...wanted, timeoutMs: admission.intent.timeoutMs };
  const inputs = jobInputs(request);
  const send: SendToAgent = async (onFrames, signal) => {
    const refuseIfTaken = () => refuseTaken(deps, id);
    const writing = { caller, sessionId: start.sessionId, inputs, refuseIfTaken, signal };
    if (!areInputsThere) await writeInputs(deps, writing);
    await refuseIfTaken();
    await recordJobInputs(deps.db, { start, inputs });
    const body = agentJob({ start, request, acks: deps.acknowledgements.take(route.sandboxUid) });
    await deps.agents.stream(route, { path: '/v1/jobs', body, onFrames, signal });
  };
  return await sendStep(deps, { start, route, admission, send });
}

/** Refuses a job by a rule of the policy, as `refuseByPolicy` does. */
export async function refuseJob(
  deps: StartJobDependencies,
  { rule, ...wanted }: Omit<StartJobInput, 'areInputsThere'> & { rule: string },
): Promise<LiveStep> {
  const fingerprint = deps.seal.fingerprint(jobRequestText(wanted.request));
  const mayRun = wanted.request.wait === false;
  return await refuseByPolicy(deps, { start: jobStep(deps, wanted), fingerprint, mayRun, rule });
}

/**
 * If this replica slept, another one has taken the job over and recorded it as one that never started. Its files are not to appear
 * after that, perhaps over later ones.
 * @throws Problem 503
 */
async function refuseTaken(
  { db, replicaId }: Pick<StartJobDependencies, 'db' | 'replicaId'>,
  id: string,
): Promise<void> {
  if (!(await isHeldByAnother(db, { stepId: id, replicaId }))) return;
  const detail = 'this request took so long that the job was given up before it started';
  throw new Problem('sandbox-unreachable', { detail, retryAfterSeconds: 1 });
}

/**
 * The parts of a request that a repeat must have, too: not whether the client waits. Its length does not grow with the files, which are in it as
 * digests. Pure.
 */
export function jobRequestText({ files = [], wait: _, ...request }: RunJob): string {
  const digests = files.map(({ path, bytes }) => [path, createHash('sha256').update(bytes).digest('hex')]);
  return JSON.stringify({ ...request, files: digests });
}

type Sent = { start: JobStep; request: RunJob; acks: string[] };

const agentJob = ({ start, request, acks }: Sent): AgentJob => ({
  jobId: start.id,
  language: start.language,
  filename: start.job.filename,
  ...(request.filename === undefined && { code: request.code }),
  ...(request.limits && { limits: request.limits }),
  args: start.job.args,
  ...(request.env && { env: request.env }),
  stdin: request.stdin,
  timeoutMs: start.timeoutMs,
  acks,
});
