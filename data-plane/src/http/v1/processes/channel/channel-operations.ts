import { Problem, processEventsQuerySchema, processIdSchema, sessionIdSchema } from '@holdfast/specs/public';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { authorize } from '../../../edge/authorize.ts';
import type { EdgeApp } from '../../../edge/edge.ts';
import { readRequest } from '../../../edge/read-request.ts';
import type { V1 } from '../../verbs.ts';
import { noteProcess } from '../process-operations.ts';
import { runChannel } from './run-channel.ts';

const ofProcess = z.object({ sessionId: sessionIdSchema, processId: processIdSchema });

/** The most bytes of input in one message. */
const messageBytesMax = 1024 * 1024;

/** Headers of a handshake (RFC 6455, 4.2.1). A channel that cannot be opened must not be in the audit log as opened. */
const handshake = {
  'sec-websocket-key': /^[+/0-9A-Za-z]{22}==$/,
  'sec-websocket-version': /^(8|13)$/,
  'sec-websocket-protocol': /^$|^[\w!#$%&'*+.^`|~-]+(, ?[\w!#$%&'*+.^`|~-]+)*$/,
};

function refuseBadHandshake(headers: Record<string, string>): void {
  for (const [name, form] of Object.entries(handshake)) {
    if (form.test(headers[name] ?? '')) continue;
    const detail = 'is not that of a WebSocket handshake';
    throw new Problem('invalid-request', { detail: '1 fault', errors: [{ pointer: `header/${name}`, detail }] });
  }
}

/** A WebSocket to a process, for terminals in web pages. It is admitted as any other request, before it is upgraded. */
export function channelOperations(app: EdgeApp, edge: V1): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax, perMessageDeflate: false });

  app.get(
    '/v1/sessions/:sessionId/processes/:processId/channel',
    authorize(edge, 'run', { tokenInQuery: true }),
    async (c) => {
      const { path, query } = await readRequest(edge, c, { path: ofProcess, query: processEventsQuerySchema });
      const key = { caller: c.get('caller'), ...path };
      const upgrade = c.env?.upgrade;
      if (!upgrade) {
        const detail = 'open the channel as a WebSocket, without a body';
        throw new Problem('invalid-request', { detail, errors: [{ pointer: 'header/upgrade', detail }] });
      }
      refuseBadHandshake(c.req.header());
      noteProcess(c, key);
      const left = new AbortController();
      const after = query.after ?? 0;
      const log = await edge.verbs.openChannel({ ...key, after, signal: left.signal });
      const { requestId } = c.var;
      upgrade.accept((incoming, connection, early) =>
        sockets.handleUpgrade(incoming, connection, early, (socket) => {
          void runChannel(edge, socket, { key, log, after, requestId, left });
        }),
      );
      return c.body(null, 200);
    },
  );
}
