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
        throw new Problem('invalid-request', { detail, errors: [{ pointer: 'header/Upgrade', detail }] });
      }
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
