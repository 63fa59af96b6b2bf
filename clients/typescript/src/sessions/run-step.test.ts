import { expect, test } from 'vitest';
import { createConnection } from '../http/create-api.ts';
import { runStep } from './run-step.ts';

const ids = { id: 'stp_1', sessionId: 'ses_1', results: [] };
const asking = { ...ids, finishedAt: null, outcome: { tag: 'needs', what: 'stdin', prompt: 'name ', password: false } };
const ended = { ...ids, status: 'timed_out', finishedAt: '2026-01-15T10:00:03.000Z', outcome: null };

test('a run ignores that a line came after the end of its step', async () => {
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 1000, connectMs: 1000 },
    async fetch({ method, url }) {
      if (method === 'GET') return Response.json(ended);
      if (!url.endsWith('/stdin')) return Response.json(asking);
      return Response.json({ code: 'stdin-closed', title: 'No input is accepted' }, { status: 409 });
    },
  });
  const target = { connection, sessionId: 'ses_1', operations: { look() {}, on: () => expect.unreachable() } };
  expect(await runStep(target, "input('name ')", { input: () => 'Ada' })).toMatchObject({ status: 'timed_out' });
});

test('a line whose answer is lost is sent again with the same key', async () => {
  const keys: (string | null)[] = [];
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 5000, connectMs: 5000 },
    async fetch({ method, url, headers }) {
      if (method === 'GET') return Response.json(ended);
      if (!url.endsWith('/stdin')) return Response.json(asking);
      if (keys.push(headers.get('Idempotency-Key')) === 1) throw new TypeError('terminated');
      return new Response(null, { status: 204 });
    },
  });
  const target = { connection, sessionId: 'ses_1', operations: { look() {}, on: () => expect.unreachable() } };
  await runStep(target, "input('name ')", { input: () => 'Ada' });
  expect(keys).toEqual([expect.stringMatching(/./), keys[0]]);
});
