import { type Artifact, type Job, type JobLanguage, type Omission, Problem, type Step } from '@holdfast/specs/public';
import { jobFileUrl } from '../artifacts/artifact-view.ts';
import type { OpenedStep } from '../steps/long-step.ts';

type Viewing = {
  /** Whether the answer itself includes the output, too. */
  inline: boolean;
  /** Returns the URL that the caller gets: signed, or unchanged. */
  sign(url: string): string;
};

/** The public job; long output is streamed. */
export type JobAnswer = Omit<Job, 'stdout' | 'stderr'> & Partial<Pick<Step | OpenedStep, 'stdout' | 'stderr'>>;

/** The public job, which has ended. Pure. */
export function jobView(step: Step | OpenedStep, { inline, sign }: Viewing): JobAnswer {
  if (!step.job) throw new Problem('internal', { detail: `step ${step.id} is not a job` });
  const urls = (artifacts: readonly Artifact[], role?: 'input') =>
    Object.fromEntries(
      artifacts
        .filter(({ url }) => url !== null)
        .map(({ path }) => [path, sign(jobFileUrl({ sessionId: step.sessionId, jobId: step.id, path, role }))]),
    );
  const { inputs, outputs, streams } = byRole(step.artifacts);
  return {
    sessionId: step.sessionId,
    id: step.id,
    language: step.language as JobLanguage,
    status: step.status,
    exitCode: step.job.exitCode,
    signal: step.job.signal,
    timedOut: step.job.timedOut,
    cause: step.cause,
    durationMs: step.durationMs,
    usage: step.usage,
    truncated: step.truncated,
    ...(inline && { stdout: step.stdout, stderr: step.stderr }),
    artifacts: {
      inputs: urls(inputs, 'input'),
      // The name stdout.txt means the output to stdout, even if the program wrote a file of that name.
      outputs: { ...urls(outputs), ...urls(streams) },
      omissions: omissionsOf(step.artifacts),
    },
  };
}

const byRole = (artifacts: readonly Artifact[]) => ({
  inputs: artifacts.filter(({ role }) => role === 'input'),
  outputs: artifacts.filter(({ role }) => role === 'output'),
  streams: artifacts.filter(({ role }) => role === 'stdout' || role === 'stderr'),
});

/** The artifact that stands for all changes beyond the limit of a list has no path; its key here is `*`. */
const omissionsOf = (artifacts: readonly Artifact[]): Record<string, Omission> =>
  Object.fromEntries(artifacts.flatMap(({ path, omission }) => (omission ? [[path || '*', omission]] : [])));
