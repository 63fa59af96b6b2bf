import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Faults } from '../faults.ts';
import type { createAnswer } from './answer-request.ts';
import { cannotNow, Refusal, unauthorized } from './refusal.ts';
import { type ApiRequest, apiRequest } from './request.ts';

type Given = {
  address: string;
  port: number;
  tls: { key: string; cert: string };
  token: string;
  faults: Faults;
  answer: ReturnType<typeof createAnswer>;
};

/** Serves over TLS: authenticates, applies the faults of single requests, and can go down and come back. */
export async function startApiServer({ address, port, tls, token, faults, answer }: Given) {
  const sockets = new Set<Socket>();
  const requests: Record<string, number> = {};
  const connections = { opened: 0, open: 0 };
  const server = createServer({ ...tls, keepAliveTimeout: 0 }, (incoming, response) => void serve(incoming, response));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    connections.opened += 1;
    connections.open += 1;
    socket.once('close', () => {
      sockets.delete(socket);
      connections.open -= 1;
    });
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = apiRequest(incoming);
    const counted = request.resource ? `${request.verb} ${request.resource}` : request.path;
    requests[counted] = (requests[counted] ?? 0) + 1;
    try {
      const late = faults.take('delay', request);
      if (late) await delay(late.ms, undefined, { ref: false });
      if (faults.take('reset', request)) return void response.destroy();
      const answered = await outcome({ request, incoming, response });
      if (!answered) return;
      if (faults.take('loseAnswer', request)) response.destroy();
      else send(response, answered.code, answered.body);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
      const { retryAfterSeconds } = refusal.details ?? {};
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds);
      send(response, refusal.code, refusal.status());
    }
  }

  async function outcome(exchange: { request: ApiRequest; incoming: IncomingMessage; response: ServerResponse }) {
    const { request, incoming } = exchange;
    if (request.path !== '/version' && incoming.headers.authorization !== `Bearer ${token}`) throw unauthorized();
    const refused = faults.take('refuse', request);
    if (refused) throw cannotNow(refused.status, refused.retryAfterSeconds);
    return await answer(exchange);
  }

  async function up(): Promise<void> {
    server.listen(port, address);
    await once(server, 'listening');
  }
  await up();

  return {
    url: `https://${address}:${port}`,
    /** The number of requests by verb and resource (`list pods`) or by path. */
    requests,
    /** TCP connections since the start, and now. */
    connections,
    /** Serves again, at the same address. */
    up,
    /** All connections are reset, and new ones are refused. */
    async down(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    get isUp(): boolean {
      return server.listening;
    },
  };
}

function send(response: ServerResponse, code: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
