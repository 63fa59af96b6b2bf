import { type CodeAtCursor, type Inspection, inspectionSchema } from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';

type InspectInput = { caller: Caller; sessionId: string; contextId: string; at: CodeAtCursor };

/** What is known of the name at the cursor. Throws Problem 404, 409 `context-busy` while the context runs a step, 410, 503. */
export function inspectCode(deps: AskDependencies, { contextId, at, ...of }: InspectInput): Promise<Inspection> {
  const path = `/v1/contexts/${contextId}/inspect`;
  return askAgent(deps, { ...of, call: { method: 'POST', path, body: at, schema: inspectionSchema } });
}
