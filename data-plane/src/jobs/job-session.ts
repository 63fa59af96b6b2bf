import { type CreateSession, type JobLanguage, jobFilenames, type Language, type RunJob } from '@holdfast/specs/public';
import { jobInputs } from './job-inputs.ts';

/** The last resort where nobody is left to start the job, or to end the session. */
const idleTimeoutSeconds = 60;
/** Beyond what the job may take. */
const spareSeconds = 3600;

/** A session has the language of a kernel, though here none is started. */
const kernelLanguages: Record<JobLanguage, Language> = { python: 'python', node: 'node', bun: 'node', bash: 'bash' };

/** The session that is made for a job: its workspace begins with the job's files. Pure. */
export const jobSession = (request: RunJob, { stepTimeoutMs }: { stepTimeoutMs: number }): CreateSession => ({
  language: kernelLanguages[request.language],
  metadata: {},
  env: {},
  timeoutSeconds: Math.ceil(request.timeoutSeconds ?? stepTimeoutMs / 1000) + spareSeconds,
  idleTimeoutSeconds,
  files: jobInputs(request, request.filename ?? jobFilenames[request.language]),
});
