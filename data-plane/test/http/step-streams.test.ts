import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { AnswerSink } from '../../src/files/relay-from-agent.ts';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asJson, asRun, scriptedApp } from './scripted-app.ts';
import { sessionId, stepId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const step = `/v1/sessions/${sessionId}/steps/${stepId}`;

test('input goes to the step as it was typed, and null as its end', async () => {
  const given: unknown[] = [];
  const { app } = scriptedApp({
    sendStdin: async (input) => {
      given.push(input);
    },
  });
  for (const text of ['Ada ', '', null]) {
    const response = await app.request(`${step}/stdin`, {
      method: 'POST',
      headers: { ...asJson, 'Idempotency-Key': 'key-of-a-line' },
      body: JSON.stringify({ text }),
    });
    expect(response.status).toBe(204);
  }
  expect(given).toMatchObject(
    ['Ada ', '', null].map((text) => ({ sessionId, stepId, input: { text }, idempotencyKey: 'key-of-a-line' })),
  );
});

test('input for a step that takes none is a conflict, and shows in no log', async () => {
  const { app, lines } = scriptedApp({ sendStdin: () => Promise.reject(new Problem('stdin-closed')) });
  const init = { method: 'POST', headers: asJson, body: '{"text":"topsecret"}' };
  const response = await app.request(`${step}/stdin`, init);
  expect([response.status, await response.json()]).toMatchObject([409, { code: 'stdin-closed' }]);
  expect(lines.join()).not.toContain('topsecret');
});

const served = (readOutput: Verbs['readOutput']) => servedApp({ readOutput });
const megabyte = Buffer.alloc(1024 * 1024, 'a');

test('output comes as bytes, whatever they are, and says that it is whole', async () => {
  const { url } = await served(async ({ stream, onStart, onChunk }) => {
    expect(stream).toBe('stderr');
    onStart({ isWhole: true });
    await onChunk(Buffer.from([0, 255, 10]));
    await onChunk(Buffer.from('end'));
  });
  const response = await fetch(`${url}${step}/output/stderr`, { headers: asRun });
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('holdfast-output')).toBe('whole');
  expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from('\0\xff\nend', 'latin1'));
});

test('empty output is an empty answer, and output that is not stored is 404', async () => {
  const empty = await served(async ({ onStart }) => onStart({ isWhole: false }));
  const response = await fetch(`${empty.url}${step}/output/stdout`, { headers: asRun });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('holdfast-output')).toBe('beginning');
  const none = await served(() => Promise.reject(new Problem('not-found')));
  expect((await fetch(`${none.url}${step}/output/stdout`, { headers: asRun })).status).toBe(404);
});

/** Gives megabytes for as long as they are taken. */
function source(megabytes: number) {
  const counted = { given: 0, aborted: false };
  return {
    counted,
    read: async ({ onChunk, signal }: Pick<AnswerSink, 'onChunk' | 'signal'>) => {
      signal.addEventListener('abort', () => {
        counted.aborted = true;
      });
      while (counted.given < megabytes) {
        counted.given += 1;
        await onChunk(megabyte);
      }
    },
  };
}

test('a client that does not read holds the source back, and gets every byte once it reads', async () => {
  const { counted, read } = source(64);
  const { url } = await served(read);
  const stream = await openStream(`${url}${step}/output/stdout`, { headers: asRun });
  stream.pause();
  await eventually(() => expect(counted.given).toBeGreaterThan(0));
  // Sockets buffer a few megabytes; no more comes while the client does not read.
  const given = counted.given;
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(counted.given).toBeLessThan(32);
  expect(given).toBeLessThan(32);
  stream.resume();
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.text).toHaveLength(64 * megabyte.length);
});

test('a client that goes away, or does not read for too long, ends the reading', async () => {
  const left = source(1000);
  const first = await served(left.read);
  const stream = await openStream(`${first.url}${step}/output/stdout`, { headers: asRun });
  stream.cut();
  await eventually(() => expect(left.counted.aborted).toBe(true));
  const stalled = source(1000);
  const second = await servedApp({ readOutput: stalled.read }, {}, 20);
  (await openStream(`${second.url}${step}/output/stdout`, { headers: asRun })).pause();
  await eventually(() => expect(second.lines.length).toBeGreaterThan(0));
  expect(stalled.counted.given).toBeLessThan(1000);
});

test('output that breaks off in the middle cannot pass for the whole', async () => {
  const begun = Promise.withResolvers<void>();
  const { url, lines } = await served(async ({ onChunk }) => {
    await onChunk(Buffer.from('half'));
    await begun.promise;
    throw new Error('cut');
  });
  const response = await fetch(`${url}${step}/output/stdout`, { headers: asRun });
  expect(response.status).toBe(200);
  begun.resolve();
  await expect(response.text()).rejects.toThrow();
  expect(lines.join()).toContain('broken off');
});
