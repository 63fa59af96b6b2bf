import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Connections, type OtherRequests } from '@holdfast/connections';
import { getRequestListener } from '@hono/node-server';
import type { DirectAnswers } from './direct-context.ts';
import type { EdgeApp } from './edge.ts';
import { upgradeRequest, wantsWebSocket } from './upgrade-request.ts';

/** Times in milliseconds. `stalledReaderMs` is how long a client may take nothing of an answer that waits for it. */
type Serving = { host: string; port: number; stalledReaderMs?: number; otherHosts?: OtherHosts | null };

/** Serves requests whose `Host` is not the app's. The app never sees them. */
export type OtherHosts = {
  isMeant(host: string | undefined): boolean;
  serve(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Whether the connection is to be upgraded. All other requests that ask for it are answered as if they did not. */
  wantsUpgrade(incoming: IncomingMessage): boolean;
  /** @param early what came after the head */
  upgrade(incoming: IncomingMessage, connection: Duplex, early: Buffer): void;
};

const timing = {
  headersTimeout: 20_000,
  // Uploads may be long. The code that reads a body bounds how long it waits.
  requestTimeout: 0,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
};

export type ServedApp = {
  /** `http://address:port`, with the real port. */
  url: string;
  /** Takes no new connections, lets running requests finish for `graceMs`, then cuts the rest. May be called again. */
  close(options?: { graceMs?: number }): Promise<void>;
};

/**
 * Serves the app. Heads of requests have a deadline, bodies the one of their readers. Making an answer has none here, but the client must
 * take what was written.
 * @throws the error of `listen`, such as EADDRINUSE
 */
export async function serveApp(
  app: Pick<EdgeApp, 'fetch'> & Partial<DirectAnswers>,
  { host, port, stalledReaderMs = 60_000, otherHosts = null }: Serving,
): Promise<ServedApp> {
  const throughHono = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  const isElsewhere = (given: string | undefined) => otherHosts?.isMeant(given) ?? false;
  const options = {
    ...timing,
    maxHeaderSize: 32_768,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    shouldUpgradeCallback: (incoming: IncomingMessage) =>
      isElsewhere(incoming.headers.host) ? otherHosts?.wantsUpgrade(incoming) === true : wantsWebSocket(incoming),
  };
  const server = createServer(options, (incoming, outgoing) => {
    // Node goes on with what it has read before the connection was ended.
    if (incoming.socket.destroyed) return;
    if (isElsewhere(incoming.headers.host)) return otherHosts?.serve(incoming, outgoing);
    if (app.answerDirectly?.(incoming, outgoing)) return;
    void throughHono(incoming, outgoing);
  });
  server.timeout = stalledReaderMs;
  server.on('upgrade', (incoming, connection, early) => {
    // Two answers on one connection would be mixed.
    if (underWay.get(incoming.socket)) connection.destroy();
    else if (isElsewhere(incoming.headers.host)) otherHosts?.upgrade(incoming, connection, early);
    else void upgradeRequest(app, incoming, connection, early);
  });
  const connections =
    app.readPlain && app.answerPlain
      ? readFirst(server, { app: app as DirectAnswers, isElsewhere, stalledMs: stalledReaderMs })
      : null;
  server.prependListener('request', refusePipelines);
  server.on('request', dropUnread);
  server.on('request', cutUnread);
  await listen(server, { host, port });
  const { port: realPort } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${realPort}`,
    close: ({ graceMs = 10_000 } = {}) => (closed ??= closeServer(server, { connections, graceMs })),
  };
}

type ReadFirst = {
  app: Pick<DirectAnswers, 'readPlain' | 'answerPlain'>;
  isElsewhere(host: string | undefined): boolean;
  stalledMs: number;
};

/**
 * Reads plain requests before Node's server does, which costs more than all else that the edge does for a short step, and answers them on the
 * connection itself. Returns the open connections.
 */
function readFirst(server: Server, { app, isElsewhere, stalledMs }: ReadFirst): Connections {
  const { readPlain, answerPlain } = app;
  const read: DirectAnswers['readPlain'] = (chunk) => {
    const request = readPlain(chunk);
    return request && request !== 'part' && isElsewhere(request.headers.get('host')) ? null : request;
  };
  const connections = new Connections({ restMs: 1000, stalledMs, idleMs: timing.keepAliveTimeout });
  const nodes = server.listeners('connection') as ((connection: Duplex) => void)[];
  const served = {
    read,
    answerPlain,
    head: createAnswerHead(),
    serveOthers: (requests: OtherRequests) => nodes.forEach((listener) => void listener.call(server, requests)),
    endsWithClient: true,
  };
  server.removeAllListeners('connection');
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    (incoming.socket as unknown as OtherRequests).begun(incoming, outgoing),
  );
  server.on('connection', (socket: Socket) => connections.serve(socket, served));
  return connections;
}

/** The lines that Node's server writes as well. */
function createAnswerHead() {
  const fixed = `Connection: keep-alive\r\nKeep-Alive: timeout=${timing.keepAliveTimeout / 1000}\r\n`;
  let date = '';
  let dateUntil = 0;
  return (status: number): string => {
    const now = Date.now();
    if (now >= dateUntil) {
      date = new Date(now).toUTCString();
      dateUntil = now - (now % 1000) + 1000;
    }
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nDate: ${date}\r\n${fixed}`;
  };
}

/** The requests of one connection that may be under way. Clients wait for each answer, apart from old ones that send a few at once. */
const pipelinedMax = 8;

/**
 * Ends connections on which many requests come before their answers are taken. Node begins with all that one read brings, and each
 * answer waits in memory for those before it.
 */
function refusePipelines({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  const count = (underWay.get(socket) ?? 0) + 1;
  underWay.set(socket, count);
  outgoing.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  if (count > pipelinedMax) socket.destroy();
}

const underWay = new WeakMap<Socket, number>();

/** How long after the answer the client may go on sending a body that was not read. */
const lingerMs = 1000;

/** Ends connections on which a body keeps coming after the answer; Node would read it to its end. */
function dropUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once('finish', () => {
    if (incoming.complete) return;
    const late = setTimeout(() => incoming.destroy(), lingerMs);
    incoming.once('close', () => clearTimeout(late));
  });
}

/**
 * Ends connections on which an answer waits and its client takes nothing of it, so that it does not hold memory for ever. Node tells
 * when nothing has moved on the connection for `server.timeout`; without this listener it would end every silent connection.
 */
function cutUnread(_: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.on('timeout', () => {
    if (outgoing.writableLength > 0) outgoing.destroy();
  });
}

function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

type Closing = { connections: Connections | null; graceMs: number };

/** Closes idle connections again and again: Node ends those that are idle now, but not those that become idle later. */
function closeServer(server: Server, { connections, graceMs }: Closing): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      connections?.destroy();
      server.closeAllConnections();
    }, graceMs);
    const sweep = connections ? undefined : setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    connections?.end();
  });
}
