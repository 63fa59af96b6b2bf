import { type JobLanguage, knownFilename, type RunJob } from '@holdfast/specs/public';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { StepStart } from '../steps/live-step.ts';
import { ownFilename } from './job-filename.ts';

/** A step that is a job. */
export type JobStep = StepStart & { job: NonNullable<StepStart['job']>; language: JobLanguage };

type JobStartInput = { id: string; route: Pick<Route, 'sessionId' | 'epoch'>; request: RunJob };

/** What is known of a job before it is sent. */
export function describeJob(
  { stepTimeoutMs }: { stepTimeoutMs: number },
  { id, route, request }: JobStartInput,
): JobStep {
  const { language, code, args, timeoutSeconds } = request;
  return {
    id,
    sessionId: route.sessionId,
    contextId: null,
    language,
    code,
    job: { filename: knownFilename(request) ?? ownFilename(id, language), args },
    actor: 'agent',
    epoch: route.epoch,
    timeoutMs: timeoutSeconds ? Math.ceil(timeoutSeconds * 1000) : stepTimeoutMs,
    queuedAt: new Date(),
  };
}
