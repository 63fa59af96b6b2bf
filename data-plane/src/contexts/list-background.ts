import { type BackgroundPage, backgroundOutputSchema, backgroundPageSchema } from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';

const list = { key: 'items', item: backgroundOutputSchema, itemsMax: 10_000 };
const answerBytesMax = 4 * 2 ** 20;

type BackgroundInput = { caller: Caller; sessionId: string; contextId: string; after: number };

/**
 * The background output of a context with a seq above `after`, as far as its sandbox still has it.
 * @throws Problem 404, 410, 502, 503
 */
export function listBackground(
  deps: AskDependencies,
  { contextId, after, ...of }: BackgroundInput,
): Promise<BackgroundPage> {
  const path = `/v1/contexts/${contextId}/background?after=${after}`;
  return askAgent(deps, { ...of, call: { method: 'GET', path, schema: backgroundPageSchema, list, answerBytesMax } });
}
