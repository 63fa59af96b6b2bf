import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookBody } from '@holdfast/specs/public';

/** One attempt of a delivery, whose signature was checked. */
export type Attempt = { id: string; path: string; body: WebhookBody };

type Answer = (attempt: Attempt, response: ServerResponse, attemptsBefore: number) => void;

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/**
 * A receiver of webhooks that refuses what is not signed, or signed long ago, and keeps every attempt that it has accepted.
 * @param answer answers an attempt; by default with 204
 */
export async function startReceiver(answer: Answer = (_, response) => response.writeHead(204).end()) {
  const attempts: Attempt[] = [];
  const faults: string[] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
    const signed = createHmac('sha256', Buffer.alloc(32, 7)).update(`${id}.${timestamp}.${text}`).digest('base64');
    const isNew = Math.abs((performance.timeOrigin + performance.now()) / 1000 - Number(timestamp)) < 60;
    if (request.method !== 'POST' || signature !== `v1,${signed}` || !isNew) {
      faults.push(`${request.method} ${request.url}`);
      response.writeHead(401).end();
      return;
    }
    const attempt = { id: String(id), path: request.url ?? '', body: JSON.parse(text) };
    const before = attempts.filter((earlier) => earlier.id === attempt.id).length;
    attempts.push(attempt);
    answer(attempt, response, before);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attempts,
    /** Requests that were not signed as they should be. */
    faults,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
