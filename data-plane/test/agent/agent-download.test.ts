import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { sendToAgent } from '../../src/agent/agent-request.ts';
import { eventually } from '../support/eventually.ts';

const mebibyte = 1024 * 1024;

/** An agent that answers each request by `answer`. */
async function agent(answer: (response: ServerResponse) => void): Promise<Pool> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
  onTestFinished(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });
  return pool;
}

const get = { method: 'GET', path: '/', headers: {}, deadlineMs: null } as const;

test('an agent gives no more than is taken, and all of it in the end; the connection serves again', async () => {
  let written = 0;
  const pool = await agent(async (response) => {
    for (written = 0; written < 64; written++)
      if (!response.write(Buffer.alloc(mebibyte))) await once(response, 'drain');
    response.end();
  });
  let received = 0;
  const taken = Promise.withResolvers<void>();
  const whole = sendToAgent(pool, get, (chunk) => {
    received += chunk.length;
    return taken.promise;
  });
  await eventually(() => expect(received).toBeGreaterThan(0));
  const first = received;
  // Another turn of everything that could bring more.
  await sendToAgent(await agent((response) => response.end('x')), get, () => undefined);
  expect(received).toBe(first);
  expect(written).toBeLessThan(32);
  taken.resolve();
  await whole;
  expect(received).toBe(64 * mebibyte);
  await sendToAgent(pool, get, () => undefined);
  expect(written).toBe(64);
});

test('a request ends with the error of the function that takes its bytes', async () => {
  const pool = await agent((response) => response.write('x'));
  const failed = sendToAgent(pool, get, () => Promise.reject(new Error('the disk is full')));
  await expect(failed).rejects.toMatchObject({ name: 'AgentError', message: 'the disk is full' });
});
