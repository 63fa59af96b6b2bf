import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { EdgeApp } from './edge.ts';

/** Times in milliseconds. */
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
 * Serves the app. Heads of requests have a deadline, bodies the one of their readers, and answers none.
 * @throws the error of `listen`, such as EADDRINUSE
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

function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Closes idle connections again and again: Node ends those that are idle now, but not those that become idle later. */
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
