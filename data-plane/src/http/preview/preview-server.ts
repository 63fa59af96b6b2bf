import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OtherHosts } from '../edge/serve-app.ts';
import { isWebSocket } from './check-request.ts';
import { serveVisit, type VisitDependencies } from './serve-visit.ts';

/** How long a visitor whose upgrade was refused may take to close the connection. */
const lingerMs = 1000;

/** Serves the requests for host names of ports. */
export function createPreviewServer(deps: VisitDependencies): OtherHosts {
  return {
    isMeant: deps.hosts.isBelow,

    serve(incoming, outgoing) {
      void serveVisit(deps, { incoming, outgoing });
    },

    wantsUpgrade: ({ headers }) => isWebSocket(headers),

    upgrade(incoming: IncomingMessage, connection: Duplex, early: Buffer) {
      const { socket } = incoming;
      // Node's server has let go of the connection, and a visitor may reset it at any time.
      connection.on('error', () => {});
      // A WebSocket may be silent for as long as the connection to its server may.
      socket.setTimeout(0);
      const outgoing = new ServerResponse(incoming);
      outgoing.shouldKeepAlive = false;
      outgoing.assignSocket(socket);
      outgoing.once('finish', () => {
        outgoing.detachSocket(socket);
        connection.end();
        const late = setTimeout(() => connection.destroy(), lingerMs);
        connection.once('close', () => clearTimeout(late));
      });
      void serveVisit(deps, { incoming, outgoing, early });
    },
  };
}
