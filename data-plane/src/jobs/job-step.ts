import { extname } from 'node:path';
import { type JobLanguage, jobFilenames, knownFilename, type RunJob } from '@holdfast/specs/public';
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
  const { language, code, args, timeoutSeconds } = request;
  return {
    id,
    sessionId: route.sessionId,
    contextId: null,
    language,
    code,
    job: { filename: knownFilename(request) ?? ownFilename(id, language), args },
    ...actorOf(caller, { actor: 'agent' }),
    keyId: caller.keyId,
    epoch: route.epoch,
    timeoutMs: timeoutSeconds ? Math.ceil(timeoutSeconds * 1000) : stepTimeoutMs,
    queuedAt: new Date(),
  };
}

/**
 * The file name of a program that the client did not name, in a session that existed before. It replaces no other file, and the file is
 * removed with its job.
 */
const ownFilename = (jobId: string, language: JobLanguage): string => `${jobId}${extname(jobFilenames[language])}`;

/** Whether the job's program has a file name of its own, which the client did not choose. Pure. */
export const hasOwnFilename = (jobId: string, filename: string): boolean => filename.startsWith(`${jobId}.`);
