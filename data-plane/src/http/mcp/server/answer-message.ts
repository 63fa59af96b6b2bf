import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { EdgeContext } from '../../edge/edge.ts';
import type { V1 } from '../../v1/verbs.ts';
import type { Call } from '../call/call.ts';
import type { RunningCalls } from '../call/running-calls.ts';
import type { callTool } from '../tools/call-tool.ts';
import { type AskedCall, createMcpServer } from './create-server.ts';
import { eventIds } from './event-id.ts';

type Answering = {
  call: AskedCall;
  calls: RunningCalls;
  message: unknown;
  requestId: string | number;
  answerCall?: (call: Call) => ReturnType<typeof callTool>;
};

/**
 * Answers one message, with events if it is a request. Their ids say which request they answer, so that a client that was cut off can
 * come back to any replica.
 */
export async function answerMessage(
  { heartbeatMs, log }: Pick<V1, 'heartbeatMs' | 'log'>,
  c: EdgeContext,
  { call, calls, message, requestId, answerCall }: Answering,
): Promise<Response> {
  const progressToken = progressTokenOf(message);
  const transport = new WebStandardStreamableHTTPServerTransport({
    keepAliveMs: heartbeatMs,
    eventStore: eventIds(() => ({ requestId, sessionId: call.place.sessionId ?? undefined, progressToken })),
  });
  const onFault = (err: unknown) => log.error({ requestId: c.get('requestId'), err }, 'an MCP call failed');
  const server = createMcpServer({ call, calls, onFault, ...(answerCall && { answerCall }) });
  // Such as an answer that its client no longer waits for.
  server.onerror = (err) => log.debug({ requestId: c.get('requestId'), err }, 'an MCP message was not taken');
  await server.connect(transport);
  return await transport.handleRequest(messageRequest(c), { parsedBody: message });
}

/** The request as the transport sees it. Its body was read, and one that resumes a call accepts events alone. */
function messageRequest(c: EdgeContext): Request {
  const isResumed = c.req.method !== 'POST';
  const accept = isResumed ? 'application/json, text/event-stream' : c.req.header('accept');
  const version = c.req.header('mcp-protocol-version');
  return new Request(c.req.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(accept !== undefined && { accept }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    },
  });
}

type Meta = { params?: { _meta?: { progressToken?: unknown } } };

/** The token under which a client asks for progress; undefined if it does not. */
export function progressTokenOf(message: unknown): string | number | undefined {
  const token = (message as Meta | null)?.params?._meta?.progressToken;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
