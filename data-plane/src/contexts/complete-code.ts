import { type CodeAtCursor, type Completions, completionsSchema } from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';

type CompleteInput = { caller: Caller; sessionId: string; contextId: string; at: CodeAtCursor };

/**
 * The completions of the code at the cursor.
 * @throws Problem 404, 409 while the context runs a step, 410, 502, 503
 */
export function completeCode(deps: AskDependencies, { contextId, at, ...of }: CompleteInput): Promise<Completions> {
  const path = `/v1/contexts/${contextId}/complete`;
  return askAgent(deps, { ...of, call: { method: 'POST', path, body: at, schema: completionsSchema } });
}
