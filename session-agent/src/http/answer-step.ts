import { agentStepSchema, watchedHeader } from '@holdfast/specs/agent';
import type { ContextSet } from '../contexts/context-set.ts';
import { submitStep } from '../contexts/submit-step.ts';
import type { StepMemory } from '../steps/step-memory.ts';
import { problemAnswer } from './answer-problem.ts';
import type { AppDependencies } from './create-app.ts';
import { answerFrom, type Environment } from './listen.ts';
import { plainStep } from './plain-step.ts';
import { parseBy, readValue, stepBodyBytesMax } from './read-json.ts';
import { streamFrames } from './stream-frames.ts';

type Request = Environment['Bindings'];
type Dependencies = Pick<AppDependencies, 'authenticate' | 'onRequest' | 'contexts' | 'memory' | 'log'>;

/**
 * Answers `POST /v1/steps` as the app does, token and problems included, but past its router and middleware: they cost as much as the
 * agent's own work for a step. Never rejects.
 */
export function createAnswerStep({ authenticate, onRequest, log, ...deps }: Dependencies) {
  return async function answerStep(request: Request): Promise<void> {
    try {
      await authenticate(request.incoming.headers);
      onRequest();
      await acceptStep(deps, request);
    } catch (error) {
      answerFrom(problemAnswer(error, { log, operation: 'POST /v1/steps' }), request.outgoing);
    }
  };
}

/** Starts the step of a request that was admitted, and answers with its frames. @throws Problem if the step does not start */
export async function acceptStep(
  deps: { contexts: ContextSet; memory: StepMemory },
  { incoming, outgoing }: Request,
): Promise<void> {
  const body = await readValue(incoming, stepBodyBytesMax);
  const log = submitStep(deps, plainStep(body) ?? parseBy(agentStepSchema, body));
  const isWatched = incoming.headers[watchedHeader] !== undefined;
  streamFrames(outgoing, { log, cursor: log.cursorAfter(0), isWatched });
}
