import { expect, test } from 'vitest';
import type { Process as ProcessRecord } from '../generated/api.ts';
import { createConnection } from '../http/create-api.ts';
import { Process } from './process.ts';

test('output says how much of it is missing, and is as it was on both sides of the gap', async () => {
  const events = [
    { type: 'stdout', seq: 2, text: 'a' },
    { type: 'truncated', seq: 90, bytes: 88 },
    { type: 'stdout', seq: 91, base64: btoa('\xff') },
    { type: 'stderr', seq: 92, text: 'c' },
    { type: 'finished', seq: 93, process: { status: 'exited' } },
  ];
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 0, connectMs: 0 },
    fetch: async () => new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
  });
  const pieces: unknown[] = [];
  for await (const { stream, bytes, missingBefore } of new Process(connection, {} as ProcessRecord).output())
    pieces.push([stream, [...bytes], missingBefore]);
  expect(pieces).toEqual([
    ['stdout', [0x61], 0],
    ['stdout', [0xff], 88],
    ['stderr', [0x63], 0],
  ]);
});

test.each([
  ['SIGKILL', 2],
  ['SIGTERM', 1],
] as const)('%s is sent %d times if the first connection breaks', async (name, times) => {
  let sent = 0;
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 5000, connectMs: 5000 },
    async fetch() {
      sent += 1;
      if (sent === 1) throw new TypeError('terminated');
      return new Response(null, { status: 204 });
    },
  });
  const record = { id: 'prc_1', sessionId: 'ses_1', status: 'running' } as ProcessRecord;
  await new Process(connection, record).signal(name).catch((error) => expect(error.code).toBe('connection-failed'));
  expect(sent).toBe(times);
});
