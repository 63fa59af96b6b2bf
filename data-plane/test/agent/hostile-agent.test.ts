import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { type AgentRequest, sendToAgent } from '../../src/agent/agent-request.ts';

let server: Server | undefined;
let pool: Pool | undefined;

afterEach(async () => {
  await pool?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** Answers with a byte every 20 ms, for ever, and keeps what it was asked for. */
async function dripper(connections: number): Promise<{ pool: Pool; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections });
  return { pool, asked };
}

const post = (path: string, more: Partial<AgentRequest> = {}): AgentRequest => ({
  method: 'POST',
  path,
  headers: {},
  deadlineMs: null,
  ...more,
});

test('an agent that drips its answer for ever is given up at the deadline', async () => {
  const { pool, asked } = await dripper(1);
  const answer = sendToAgent(pool, post('/v1/fence', { deadlineMs: 200 }), () => {});
  await expect(answer).rejects.toMatchObject({ name: 'AgentError', kind: 'cut' });
  expect(asked).toEqual(['/v1/fence']);
});

test('a request that finds no free connection until its deadline is given up, and never sent', async () => {
  const { pool, asked } = await dripper(1);
  const stop = new AbortController();
  const first = sendToAgent(pool, post('/first', { signal: stop.signal }), () => {});
  const queued = sendToAgent(pool, post('/queued', { deadlineMs: 200 }), () => {});
  await expect(queued).rejects.toMatchObject({ kind: 'undelivered' });
  stop.abort();
  await expect(first).rejects.toMatchObject({ kind: 'cut' });
  await expect(sendToAgent(pool, post('/last', { deadlineMs: 200 }), () => {})).rejects.toMatchObject({ kind: 'cut' });
  expect(asked).toEqual(['/first', '/last']);
});
