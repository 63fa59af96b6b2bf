import { clientKeySchema, mcpSessionIdSchema, newId, Problem, storable } from '@holdfast/specs/public';
import {
  CancelledNotificationSchema,
  InitializeRequestSchema,
  JSONRPCRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { McpSession } from '../../../mcp-sessions/open-mcp-session.ts';
import { isSharedKey } from '../../../mcp-sessions/own-session.ts';
import { createWholeReads } from '../../../reading/whole-reads.ts';
import { authorize } from '../../edge/authorize.ts';
import { type EdgeApp, type EdgeContext, setAnswerHeader } from '../../edge/edge.ts';
import { leaving } from '../../edge/leaving.ts';
import { readBody } from '../../edge/read-body.ts';
import { readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../../v1/verbs.ts';
import { createRunningCalls } from '../call/running-calls.ts';
import { callKey, interruptCall } from '../steps/run-code.ts';
import { answerMessage } from './answer-message.ts';
import { acceptsAnswers, notAccepted, refuseLongIds } from './check-message.ts';
import { refuseForeignOrigin } from './refuse-foreign-origin.ts';
import { resumeCall } from './resume-call.ts';
import { takeInput } from './take-input.ts';

/** `session`: the name of a session that a person shares with the client. */
const query = z.strictObject({
  session: clientKeySchema.refine(isSharedKey, 'must not begin with mcp:').optional(),
});

/**
 * The Model Context Protocol over streamable HTTP. Every request carries all that it takes to serve it, or the registry has it, so any
 * replica can serve any request.
 */
export function serveMcp(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');
  const calls = createRunningCalls(verbs);
  const wholeReads = createWholeReads();

  app.post('/mcp', refuseForeignOrigin(edge), run, async (c) => {
    const {
      query: { session = null },
    } = await readRequest(edge, c, { query, body: 'streamed' });
    const message = await readBody(edge, c);
    if (Array.isArray(message)) throw notAccepted('batches are not supported: send one message a request');
    refuseLongIds(message);
    const mcp = await sessionOf(c, { message, sessionKey: session });
    if (await cancels(c, { mcp, message })) return c.body(null, 202);
    if (await takeInput(verbs, { caller: c.get('caller'), mcp, message })) return c.body(null, 202);
    return await answerRequest(c, { mcp, message });
  });

  app.get('/mcp', refuseForeignOrigin(edge), run, async (c) => {
    await readRequest(edge, c, { query });
    const eventId = c.req.header('last-event-id');
    if (eventId === undefined) {
      setAnswerHeader(c, 'Allow', 'DELETE, POST');
      throw new Problem('method-not-allowed', { detail: 'this server begins nothing: its messages answer requests' });
    }
    return await resumeCall(edge, c, { mcp: await usedSession(c), eventId, wholeReads, calls });
  });

  app.delete('/mcp', refuseForeignOrigin(edge), run, async (c) => {
    await readRequest(edge, c, { query });
    await verbs.closeMcpSession({ caller: c.get('caller'), mcp: await usedSession(c) });
    return c.body(null, 204);
  });

  /** The MCP session of a message: a new one for the first message of a client. */
  async function sessionOf(
    c: EdgeContext,
    { message, sessionKey }: { message: unknown; sessionKey: string | null },
  ): Promise<McpSession> {
    if ((message as { method?: unknown } | null)?.method !== 'initialize') return await usedSession(c);
    const initialize = InitializeRequestSchema.safeParse(message);
    if (!initialize.success || !JSONRPCRequestSchema.safeParse(message).success)
      throw notAccepted('the parameters of initialize are not valid');
    // The transport refuses the request, and nothing is kept of it.
    if (!acceptsAnswers(c))
      return { id: newId('mcp'), clientName: null, sessionKey: null, sessionId: null, elicits: false, cancelled: [] };
    const { clientInfo, capabilities } = initialize.data.params;
    const clientName = storable(clientInfo.name, 128).trim() || null;
    const elicits = capabilities.elicitation?.form !== undefined;
    const mcp = await verbs.openMcpSession({ caller: c.get('caller'), clientName, sessionKey, elicits });
    setAnswerHeader(c, 'Mcp-Session-Id', mcp.id);
    return mcp;
  }

  async function usedSession(c: EdgeContext): Promise<McpSession> {
    const id = c.req.header('mcp-session-id');
    if (id === undefined) throw notAccepted('the header Mcp-Session-Id is missing: send initialize first');
    if (!mcpSessionIdSchema.safeParse(id).success)
      throw new Problem('not-found', { detail: 'no MCP session has this id' });
    const mcp = await verbs.useMcpSession({ caller: c.get('caller'), id });
    Object.assign(c.get('event'), { mcpSessionId: mcp.id, sessionId: mcp.sessionId ?? undefined });
    return mcp;
  }

  /** Interrupts the step of a request that the client has cancelled, whichever replica it runs on. */
  async function cancels(c: EdgeContext, { mcp, message }: { mcp: McpSession; message: unknown }): Promise<boolean> {
    const cancelled = CancelledNotificationSchema.safeParse(message);
    const requestId = cancelled.data?.params.requestId;
    if (requestId === undefined) return false;
    const key = callKey(mcp.id, requestId);
    if (calls.cancel(key)) return true;
    // The mark comes first: a step that is made after this look for it finds the mark.
    const sessionId = await verbs.cancelCall({ mcp, key });
    if (sessionId !== null) await interruptCall({ verbs, caller: c.get('caller'), mcp, key }, sessionId);
    return true;
  }

  async function answerRequest(c: EdgeContext, { mcp, message }: { mcp: McpSession; message: unknown }) {
    const request = JSONRPCRequestSchema.safeParse(message).data;
    c.get('event').mcpMethod = request?.method.slice(0, methodLengthMax);
    const requestId = request?.id ?? 0;
    const key = callKey(mcp.id, requestId);
    const place = { sessionId: null };
    const call = { verbs, caller: c.get('caller'), mcp, key, place, wholeReads, left: leaving(c) };
    return await answerMessage(edge, c, { call, calls, message, requestId });
  }
}

const methodLengthMax = 64;
