import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hono } from 'hono';
import { answeredItself, PlainHeaders, PlainResponse } from './plain-response.ts';

// An import would load everything that the module exports, including Node's HTTP client: 4 MiB.
const { createServer } = process.getBuiltinModule('node:http');

/** Longer than clients hold an idle connection, so that the client closes it and never uses one that is just being closed. */
const keepAliveMs = 75_000;

/** The environment of the operations: Node's own request and response. */
export type Environment = { Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } };

type Served = { app: Hono<Environment>; answerStep: (request: Environment['Bindings']) => Promise<void> };

/** Serves the app and resolves with the port once it listens. From then on hono builds its answers from plain-response.ts. */
export async function listen(
  { app, answerStep }: Served,
  { host, port }: { host: string; port: number },
): Promise<{ server: Server; port: number }> {
  // Assigned and not redefined: redefining a property would load its old value.
  Object.assign(globalThis, { Response: PlainResponse, Headers: PlainHeaders });
  const server = createServer({ noDelay: true, keepAliveTimeout: keepAliveMs }, (incoming, outgoing) => {
    const request = { incoming, outgoing };
    void (incoming.url === '/v1/steps' && incoming.method === 'POST' ? answerStep(request) : answer(app, request));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function answer(app: Hono<Environment>, env: Environment['Bindings']): Promise<void> {
  const { incoming, outgoing } = env;
  try {
    const response = await app.fetch(requestOf(incoming), env);
    // For HEAD hono wraps the answer in a new one, so the comparison alone is not enough.
    if (response === answeredItself || outgoing.headersSent) return;
    answerFrom(response as unknown as PlainResponse, outgoing);
  } catch (error) {
    outgoing.destroy();
    throw error;
  }
}

/** The part of a request that hono needs to find an operation. Operations read the rest from Node's own request. */
export function requestOf({ method, url, headers }: IncomingMessage): Request {
  const get = (name: string) => headers[name.toLowerCase()] ?? null;
  return { method, url: `http://agent${url}`, headers: { get } } as unknown as Request;
}

export function answerFrom({ status, headers, body }: PlainResponse, outgoing: ServerResponse): void {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers instanceof Map ? headers : new Map(Object.entries(headers)));
  outgoing.end(body);
}
