import { Problem, stepIdForKey } from '@holdfast/specs/public';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { EdgeContext } from '../../edge/edge.ts';
import { leaving } from '../../edge/leaving.ts';
import type { V1 } from '../../v1/verbs.ts';
import type { Call } from '../call/call.ts';
import type { RunningCalls } from '../call/running-calls.ts';
import { answerStep, callKey } from '../steps/run-code.ts';
import { answerMessage } from './answer-message.ts';
import { answeredBy } from './event-id.ts';

/**
 * Goes on answering a call whose client was cut off, here or on another replica, from its step. A call without a step, such as one that
 * reads a file, can be made again.
 * @throws Problem 400 if this server has not made the id of the event
 */
export async function resumeCall(
  edge: V1,
  c: EdgeContext,
  { mcp, eventId, wholeReads, calls }: Pick<Call, 'mcp' | 'wholeReads'> & { eventId: string; calls: RunningCalls },
): Promise<Response> {
  const answered = answeredBy(eventId);
  if (!answered) throw new Problem('invalid-request', { detail: 'Last-Event-ID is not the id of an event' });
  const { requestId: id, progressToken, sessionId } = answered;
  const call = {
    verbs: edge.verbs,
    caller: c.get('caller'),
    mcp,
    key: callKey(mcp.id, id),
    place: { sessionId: sessionId ?? mcp.sessionId },
    wholeReads,
    left: leaving(c),
  };
  const _meta = progressToken === undefined ? undefined : { progressToken };
  const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'resumed', _meta } };
  return await answerMessage(edge, c, { call, calls, message, requestId: id, answerCall: answerFromStep });
}

async function answerFromStep(call: Call): Promise<CallToolResult> {
  const { verbs, caller, place, key } = call;
  try {
    if (place.sessionId === null) throw new Problem('not-found');
    // Only the MCP session of the call has made a step with this id, so it may read it in any session.
    const stepId = stepIdForKey(place.sessionId, key);
    return await answerStep(call, await verbs.followStep({ caller, sessionId: place.sessionId, stepId }));
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const text =
      'The connection was lost before the answer, and nothing more is known of this call. If it was to change something, look before you repeat it.';
    return { content: [{ type: 'text', text }], isError: true };
  }
}
