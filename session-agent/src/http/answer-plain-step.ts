import { type AnswerPlain, readPlainRequest } from '@holdfast/connections';
import { agentStepSchema, policyRevisionHeader, unsignedClaimsHeader, watchedHeader } from '@holdfast/specs/agent';
import type { ContextSet } from '../contexts/context-set.ts';
import { submitStep } from '../contexts/submit-step.ts';
import { plainStep } from '../steps/plain-step.ts';
import type { SharedTimer } from '../steps/shared-timer.ts';
import type { StepMemory } from '../steps/step-memory.ts';
import { problemAnswer } from './answer-problem.ts';
import type { AppDependencies } from './create-app.ts';
import { answerFrom } from './listen.ts';
import { parseBy, parseJson, stepBodyBytesMax, tooLarge } from './read-json.ts';
import { type FrameAnswer, streamFrames } from './stream-frames.ts';

type Dependencies = Pick<AppDependencies, 'authenticate' | 'onRequest' | 'contexts' | 'memory' | 'gathering' | 'log'>;

/**
 * Answers a plain `POST /v1/steps` as the app does, token and problems included, but past Node's HTTP server, the app's router and its
 * middleware: they cost more than the agent's own work for a step. Never rejects.
 */
export function createAnswerPlainStep({ authenticate, onRequest, log, ...deps }: Dependencies): AnswerPlain {
  return async function answerPlainStep({ headers, body }, outgoing) {
    try {
      const authorization = headers.get('authorization');
      const claims = headers.get(unsignedClaimsHeader);
      const admitted = authenticate({
        ...(authorization && { authorization }),
        ...(claims && { [unsignedClaimsHeader]: claims }),
      });
      if (admitted) await admitted;
      onRequest();
      if (body.length > stepBodyBytesMax) throw tooLarge(stepBodyBytesMax);
      const revision = headers.get(policyRevisionHeader);
      acceptStep(deps, { value: parseJson(body), revision, isWatched: headers.has(watchedHeader), outgoing });
    } catch (error) {
      answerFrom(problemAnswer(error, { log, operation: 'POST /v1/steps' }), outgoing);
    }
  };
}

const plainHeaders: ReadonlySet<string> = new Set([
  'authorization',
  unsignedClaimsHeader,
  watchedHeader,
  policyRevisionHeader,
]);

const plain = {
  isPath: (path: string) => path === '/v1/steps',
  isPlainHeader: (name: string) => plainHeaders.has(name),
};

/** Reads a `POST /v1/steps` as the data-plane sends it; see `readPlainRequest`. */
export const readPlainStep = (chunk: Buffer) => readPlainRequest(chunk, plain);

type Accepted = { value: unknown; revision: string | undefined; isWatched: boolean; outgoing: FrameAnswer };

/** Starts the step of a request that was admitted, and answers with its frames. @throws Problem if the step does not start */
export function acceptStep(
  deps: { contexts: ContextSet; memory: StepMemory; gathering: SharedTimer },
  { value, revision, isWatched, outgoing }: Accepted,
): void {
  deps.contexts.rules.assertRevision(revision);
  const log = submitStep(deps, plainStep(value) ?? parseBy(agentStepSchema, value));
  streamFrames(outgoing, { log, cursor: log.cursorAfter(0), gathering: deps.gathering, isWatched });
}
