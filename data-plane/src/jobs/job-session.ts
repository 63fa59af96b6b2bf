import type { CreateSession, JobLanguage, Language, RunJob } from '@holdfast/specs/public';
import { jobInputs } from './job-inputs.ts';

/** The last resort if no replica is left that starts the job or ends the session. */
const idleTimeoutSeconds = 60;
/** The time that the session has beyond the timeout of the job. */
const spareSeconds = 3600;

/** A session has the language of a kernel, although a job starts none. */
const kernelLanguages: Record<JobLanguage, Language> = { python: 'python', node: 'node', bun: 'node', bash: 'bash' };

/** The session that is created for a job. Its workspace is filled with the job's files at its start. Pure. */
export const jobSession = (request: RunJob, { stepTimeoutMs }: { stepTimeoutMs: number }): CreateSession => ({
  language: kernelLanguages[request.language],
  metadata: {},
  env: {},
  timeoutSeconds: Math.ceil(request.timeoutSeconds ?? stepTimeoutMs / 1000) + spareSeconds,
  idleTimeoutSeconds,
  webhooks: request.webhooks,
  files: jobInputs(request),
});
