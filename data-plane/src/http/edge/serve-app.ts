import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { EdgeApp } from './edge.ts';

/** Times in milliseconds. */
const timing = {
  headersTimeout: 20_000,
  // A file takes as long as it takes: whoever reads a body says how long it may keep others waiting.
  requestTimeout: 0,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
};

export type ServedApp = {
  /** `http://address:port`, with the real port. */
  url: string;
  /** Takes no new connections, lets requests that run finish for `graceMs`, then cuts what is left. May be called again. */
  close(options?: { graceMs?: number }): Promise<void>;
};

/**
 * Serves the app. Heads of requests have to arrive in time, bodies as their readers have it, answers may take for ever.
 * @throws the error of `listen`, such as EADDRINUSE.
 */
export async function serveApp(
  app: Pick<EdgeApp, 'fetch'>,
  { host, port }: { host: string; port: number },
): Promise<ServedApp> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: { ...timing, maxHeaderSize: 32_768, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 },
  }) as Server;
  server.on('request', dropUnread);
  await listen(server, { host, port });
  const { port: realPort } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${realPort}`,
    close: ({ graceMs = 10_000 } = {}) => (closed ??= closeServer(server, graceMs)),
  };
}

/** For so long what nobody has read of a body may still come after the answer. */
const lingerMs = 1000;

/** Node would go on reading it for as long as it comes. */
function dropUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once('finish', () => {
    if (incoming.complete) return;
    const late = setTimeout(() => incoming.destroy(), lingerMs);
    incoming.once('close', () => clearTimeout(late));
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

/** Node ends a connection that is idle now, but not one that becomes idle later and is kept alive: that is looked for again. */
function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
}
