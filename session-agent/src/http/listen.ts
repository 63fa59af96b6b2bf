import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Environment } from './environment.ts';

/** Longer than clients keep an idle connection, so that they close it and never meet one that is being closed. */
const keepAliveMs = 75_000;

/** Serves the app and resolves with the port once it listens. */
export async function listen(
  app: Hono<Environment>,
  { host, port }: { host: string; port: number },
): Promise<{ server: Server; port: number }> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { noDelay: true } }) as Server;
  server.keepAliveTimeout = keepAliveMs;
  server.listen(port, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
