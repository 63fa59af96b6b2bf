import { Problem } from '@holdfast/specs/public';
import type { EdgeContext } from '../../edge/edge.ts';
import { progressTokenOf } from './answer-message.ts';

/** Both are in the id of each event. */
export function refuseLongIds(message: unknown): void {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  // The id of an answer is one that this server has made.
  if (method === undefined) return;
  if (String(id).length > idLengthMax) throw notAccepted('the id of the request is too long');
  if (String(progressTokenOf(message)).length > idLengthMax) throw notAccepted('the progress token is too long');
}

/** Whether a client takes both forms of answers, as it must (MCP 2025-11-25, Sending Messages to the Server). */
export function acceptsAnswers(c: EdgeContext): boolean {
  const accept = c.req.header('accept') ?? '';
  return accept.includes('application/json') && accept.includes('text/event-stream');
}

/** In characters: of the id of a request, and of a progress token. */
const idLengthMax = 256;

export const notAccepted = (detail: string) =>
  new Problem('invalid-request', { detail, errors: [{ pointer: '', detail }] });
