import type { IncomingMessage } from 'node:http';
import { agentPortPathSchema, agentPortQuerySchema, tunnelProtocol } from '@holdfast/specs/agent';
import { invalidRequest, Problem } from '@holdfast/specs/public';
import type { Hono } from 'hono';
import type { PortTunnels, Visitor } from '../ports/port-tunnels.ts';
import { problemAnswer } from './answer-problem.ts';
import type { AppDependencies } from './create-app.ts';
import type { Environment } from './listen.ts';
import type { PlainResponse } from './plain-response.ts';

/** Says whether a server listens at a port. With an `Upgrade`, the same request becomes a connection to it. */
export function portOperations(app: Hono<Environment>, { ports }: { ports: PortTunnels }): void {
  app.get('/v1/ports/:port', async (c) => {
    const left = new AbortController();
    c.env.outgoing.once('close', () => left.abort());
    const server = await ports.dial({ ...askedOf(c.req.param('port'), c.req.query()), signal: left.signal });
    server.destroy();
    return c.body(null, 204);
  });
}

type TunnelDependencies = Pick<AppDependencies, 'authenticate' | 'onRequest' | 'ports' | 'log'>;

export type AnswerTunnel = ReturnType<typeof createAnswerTunnel>;

/** Answers a request that asks for a connection to a port. Never rejects. */
export function createAnswerTunnel({ authenticate, onRequest, ports, log }: TunnelDependencies) {
  async function open(incoming: IncomingMessage, visitor: Visitor): Promise<void> {
    const left = new AbortController();
    const leave = () => left.abort();
    // A client says nothing before it is answered, so this is its end.
    visitor.once('readable', leave).once('close', leave).once('error', leave);
    await authenticate(incoming.headers);
    onRequest();
    const server = await ports.dial({ ...portOf(incoming), signal: left.signal });
    visitor.off('readable', leave);
    visitor.write(`HTTP/1.1 101 \r\nconnection: upgrade\r\nupgrade: ${tunnelProtocol}\r\n\r\n`);
    ports.join(visitor, server);
  }

  return async function answerTunnel(incoming: IncomingMessage, visitor: Visitor): Promise<void> {
    try {
      await open(incoming, visitor);
    } catch (error) {
      if (!visitor.destroyed) visitor.end(textOf(problemAnswer(error, { log, operation: 'a connection to a port' })));
    }
  };
}

/** @throws Problem `not-found` or `invalid-request` */
function portOf({ method, url = '', headers }: IncomingMessage) {
  const [path = '', query] = url.split('?');
  const [, port] = (method === 'GET' && /^\/v1\/ports\/([^/]+)$/.exec(path)) || [];
  if (port === undefined) throw new Problem('not-found', { detail: 'only a port can be connected to' });
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    throw new Problem('invalid-request', { detail: 'a request for a connection has no body' });
  return askedOf(port, Object.fromEntries(new URLSearchParams(query)));
}

/** @throws Problem `invalid-request` */
function askedOf(port: string, query: Record<string, string>): { port: number; waitMs: number } {
  const path = agentPortPathSchema.safeParse({ port });
  if (!path.success) throw invalidRequest(path.error, 'path');
  const asked = agentPortQuerySchema.safeParse(query);
  if (!asked.success) throw invalidRequest(asked.error, 'query');
  return { port: path.data.port, waitMs: (asked.data.waitSeconds ?? 0) * 1000 };
}

function textOf({ status, headers, body }: PlainResponse): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body ?? '');
  return `HTTP/1.1 ${status} \r\n${fields.join('')}content-length: ${length}\r\nconnection: close\r\n\r\n${body}`;
}
