import { type JobLanguage, jobFilenames, type RunJob } from '@holdfast/specs/public';
import { actorOf, type Caller } from '../sessions/caller.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { StepStart } from '../steps/live-step.ts';

/** A step that is a job. */
export type JobStep = StepStart & { job: NonNullable<StepStart['job']>; language: JobLanguage };

type JobStepInput = { id: string; caller: Caller; route: Pick<Route, 'sessionId' | 'epoch'>; request: RunJob };

/** The part of a job that is known before it is sent. */
export function jobStep(
  { stepTimeoutMs }: { stepTimeoutMs: number },
  { id, caller, route, request }: JobStepInput,
): JobStep {
  const { language, code, filename, args, timeoutSeconds } = request;
  return {
    id,
    sessionId: route.sessionId,
    contextId: null,
    language,
    code,
    job: { filename: filename ?? jobFilenames[language], args },
    ...actorOf(caller, { actor: 'agent' }),
    keyId: caller.keyId,
    epoch: route.epoch,
    timeoutMs: timeoutSeconds ? Math.ceil(timeoutSeconds * 1000) : stepTimeoutMs,
    queuedAt: new Date(),
  };
}
