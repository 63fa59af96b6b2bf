import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hono } from 'hono';
import type { Environment } from './environment.ts';
import { answeredItself, PlainHeaders, PlainResponse } from './plain-response.ts';

// An import would read all that the module exports, of which a part is Node's HTTP client: 4 MiB.
const { createServer } = process.getBuiltinModule('node:http');

/** Longer than clients keep an idle connection, so that they close it and never meet one that is being closed. */
const keepAliveMs = 75_000;

/** Serves the app and resolves with the port once it listens. Answers are made of plain-response.ts from then on. */
export async function listen(
  app: Hono<Environment>,
  { host, port }: { host: string; port: number },
): Promise<{ server: Server; port: number }> {
  // Assigned: to define a property anew would load what it held.
  Object.assign(globalThis, { Response: PlainResponse, Headers: PlainHeaders });
  const server = createServer({ noDelay: true, keepAliveTimeout: keepAliveMs }, (incoming, outgoing) => {
    void answer(app, { incoming, outgoing });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function answer(app: Hono<Environment>, env: Environment['Bindings']): Promise<void> {
  const { incoming, outgoing } = env;
  try {
    const response = await app.fetch(requestOf(incoming), env);
    // Of an answer to HEAD hono makes another.
    if (response === answeredItself || outgoing.headersSent) return;
    answerFrom(response as unknown as PlainResponse, outgoing);
  } catch (error) {
    outgoing.destroy();
    throw error;
  }
}

/** What hono needs to find a route. Routes read the rest from Node's own request. */
function requestOf({ method, url, headers }: IncomingMessage): Request {
  const get = (name: string) => headers[name.toLowerCase()] ?? null;
  return { method, url: `http://agent${url}`, headers: { get } } as unknown as Request;
}

function answerFrom({ status, headers, body }: PlainResponse, outgoing: ServerResponse): void {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers instanceof Map ? headers : new Map(Object.entries(headers)));
  outgoing.end(body);
}
