import type { AgentJob } from '@holdfast/specs/agent';
import type { RunJob } from '@holdfast/specs/public';
import type { PutFileDependencies } from '../files/put-file.ts';
import type { Seal } from '../keys/seal.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { type AdmitDependencies, admitStep } from '../steps/admit-step.ts';
import type { Begin } from '../steps/drive-step.ts';
import type { LiveStep } from '../steps/live-step.ts';
import { type SendDependencies, sendStep } from '../steps/send-step.ts';
import { jobInputs, recordJobInputs } from './job-inputs.ts';
import { jobRequestText } from './job-request-text.ts';
import { describeJob, type JobStep } from './job-step.ts';
import { writeInputs } from './write-inputs.ts';

export type StartJobDependencies = AdmitDependencies &
  SendDependencies &
  PutFileDependencies & {
    seal: Pick<Seal, 'fingerprint'>;
    stepTimeoutMs: number;
  };

type StartJobInput = {
  id: string;
  route: Route;
  caller: Caller;
  request: RunJob;
  /** Whether the sandbox began with its files. */
  areInputsThere: boolean;
};

/**
 * Admits a job, gives it its files and starts it. Resolves as soon as the agent has taken it; what became of an earlier request with
 * its id, where there was one.
 *
 * @throws Problem where it did not start; nothing of it is recorded then, but files that were written stay.
 */
export async function startJob(
  deps: StartJobDependencies,
  { id, route, caller, request, areInputsThere }: StartJobInput,
): Promise<LiveStep> {
  const start = describeJob(deps, { id, route, request });
  const fingerprint = deps.seal.fingerprint(jobRequestText(request));
  const repeated = await admitStep(deps, { start, tenant: caller.tenant, fingerprint });
  if (repeated) return repeated;
  const inputs = jobInputs(request, start.job.filename);
  const begin: Begin = async (to, onFrames, signal) => {
    if (!areInputsThere) await writeInputs(deps, { caller, sessionId: start.sessionId, inputs, signal });
    await recordJobInputs(deps.db, { start, inputs });
    const body = agentJob({ start, request, acks: deps.acknowledgements.take(to.sandboxUid) });
    await deps.agents.stream(to, { path: '/v1/jobs', body, onFrames, signal });
  };
  return await sendStep(deps, { start, route, isAdmitted: true, begin });
}

type Sent = { start: JobStep; request: RunJob; acks: string[] };

const agentJob = ({ start, request, acks }: Sent): AgentJob => ({
  jobId: start.id,
  language: start.language,
  filename: start.job.filename,
  args: start.job.args,
  ...(request.env && { env: request.env }),
  stdin: request.stdin,
  timeoutMs: start.timeoutMs,
  acks,
});
