import {
  type CodeAtCursor,
  type Completions,
  completionsSchema,
  type Inspection,
  inspectionSchema,
  type ParseCode,
  type ParsedCode,
  parsedCodeSchema,
} from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';

const answerBytesMax = 4 * 2 ** 20;

type CodeQuestion = { caller: Caller; sessionId: string; contextId: string; at: CodeAtCursor };

/**
 * The completions of the code at the cursor.
 * @throws Problem 404, 409 while the context runs a step, 410, 502, 503
 */
export function completeCode(deps: AskDependencies, { contextId, at, ...of }: CodeQuestion): Promise<Completions> {
  const path = `/v1/contexts/${contextId}/complete`;
  return askAgent(deps, { ...of, call: { method: 'POST', path, body: at, schema: completionsSchema, answerBytesMax } });
}

/**
 * Describes the name at the cursor.
 * @throws Problem 404, 409 while the context runs a step, 410, 502, 503
 */
export function inspectCode(deps: AskDependencies, { contextId, at, ...of }: CodeQuestion): Promise<Inspection> {
  const path = `/v1/contexts/${contextId}/inspect`;
  return askAgent(deps, { ...of, call: { method: 'POST', path, body: at, schema: inspectionSchema, answerBytesMax } });
}

/**
 * Whether code can run as it is.
 * @throws Problem 404, 409 while the context runs a step, 410, 502, 503
 */
export function parseCode(
  deps: AskDependencies,
  { contextId, body, ...of }: { caller: Caller; sessionId: string; contextId: string; body: ParseCode },
): Promise<ParsedCode> {
  const path = `/v1/contexts/${contextId}/parse`;
  return askAgent(deps, { ...of, call: { method: 'POST', path, body, schema: parsedCodeSchema, answerBytesMax } });
}
