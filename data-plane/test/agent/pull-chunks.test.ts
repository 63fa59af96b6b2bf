import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pullChunks } from '../../src/agent/pull-chunks.ts';
import { eventually } from '../support/eventually.ts';

const mebibyte = Buffer.alloc(1024 * 1024);
const forEver = new AbortController().signal;

/** Gives mebibytes until the reader or the signal stops it. */
function source(mebibytes: number) {
  const seen = { asked: 0, given: 0, aborted: false };
  const body = pullChunks(async (onChunk, signal) => {
    seen.asked++;
    signal.addEventListener('abort', () => {
      seen.aborted = true;
    });
    while (seen.given < mebibytes && !signal.aborted) {
      seen.given++;
      await onChunk(mebibyte);
    }
  }, forEver);
  return { body, seen };
}

test('nothing is asked for before it is read, and no more is taken than is read', async () => {
  const { body, seen } = source(8);
  await immediate();
  expect(seen.asked).toBe(0);
  const reader = body[Symbol.asyncIterator]();
  await reader.next();
  await immediate();
  expect(seen).toMatchObject({ asked: 1, aborted: false });
  expect(seen.given).toBeLessThan(4);
  let bytes = mebibyte.length;
  for await (const chunk of reader) bytes += chunk.length;
  expect([bytes, seen.asked]).toEqual([8 * mebibyte.length, 1]);
});

test('a reader that stops ends the request', async () => {
  const { body, seen } = source(1000);
  for await (const _ of body) break;
  await eventually(() => expect(seen.aborted).toBe(true));
  expect(seen.given).toBeLessThan(1000);
});

test('a request that fails gives its reader the error, and does no harm without a reader', async () => {
  const failing = () =>
    pullChunks(async (onChunk) => {
      await onChunk(Buffer.from('half'));
      throw new Error('cut');
    }, forEver);
  await expect(failing().toArray()).rejects.toThrow('cut');
  failing().resume();
  await immediate();
  await immediate();
});
