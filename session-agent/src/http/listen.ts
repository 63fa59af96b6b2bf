import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type AnswerPlain, Connections, type OtherRequests } from '@holdfast/connections';
import { tunnelProtocol } from '@holdfast/specs/agent';
import type { Hono } from 'hono';
import { readPlainStep } from './answer-plain-step.ts';
import { answeredItself, PlainHeaders, PlainResponse } from './plain-response.ts';
import type { AnswerTunnel } from './port-operations.ts';

// An import would load everything that the module exports, including Node's HTTP client: 4 MiB.
const { createServer } = process.getBuiltinModule('node:http');

/** Longer than clients hold an idle connection, so that the client closes it and never uses one that is just being closed. */
const keepAliveMs = 75_000;

/** The environment of the operations: Node's own request and response. */
export type Environment = { Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } };

type Served = { app: Hono<Environment>; answerPlainStep: AnswerPlain; answerTunnel: AnswerTunnel };

export type Listening = {
  port: number;
  /** Accepts no more connections, closes each when it has answered, and resolves when none is left. */
  close(): Promise<void>;
};

/** Serves the app and resolves with the port once it listens. From then on hono builds its answers from plain-response.ts. */
export async function listen(
  { app, answerPlainStep, answerTunnel }: Served,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  // Assigned and not redefined: redefining a property would load its old value.
  Object.assign(globalThis, { Response: PlainResponse, Headers: PlainHeaders });
  const shouldUpgradeCallback = ({ headers }: IncomingMessage) => headers.upgrade === tunnelProtocol;
  const http = createServer({ keepAliveTimeout: 0, shouldUpgradeCallback }, (incoming, outgoing) => {
    (incoming.socket as unknown as OtherRequests).begun(incoming, outgoing);
    void answer(app, { incoming, outgoing });
  });
  http.on('upgrade', (incoming, connection) => answerTunnel(incoming, connection as unknown as OtherRequests));
  const connections = new Connections({ restMs: 1000, stalledMs: null, idleMs: keepAliveMs });
  const served = {
    read: readPlainStep,
    answerPlain: answerPlainStep,
    head: (status: number) => `HTTP/1.1 ${status} \r\n`,
    serveOthers: (requests: OtherRequests) => http.emit('connection', requests),
    endsWithClient: false,
  };
  const tcp = createTcpServer({ noDelay: true, allowHalfOpen: true }, (socket) => connections.serve(socket, served));
  tcp.listen(port, host);
  await once(tcp, 'listening');
  return {
    port: (tcp.address() as AddressInfo).port,
    async close() {
      const closed = once(tcp, 'close');
      tcp.close();
      connections.end();
      await closed;
    },
  };
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

type Answer = {
  statusCode: number;
  setHeaders(headers: Map<string, string>): unknown;
  end(body: string | null): unknown;
};

export function answerFrom({ status, headers, body }: PlainResponse, outgoing: Answer): void {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers instanceof Map ? headers : new Map(Object.entries(headers)));
  outgoing.end(body);
}
