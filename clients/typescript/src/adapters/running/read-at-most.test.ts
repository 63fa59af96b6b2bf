import { expect, test } from 'vitest';
import { FileTooLarge, readAtMost, readWhole } from './read-at-most.ts';

/** As a file that never ends. */
function endless() {
  const counts = { read: 0, cancelled: 0 };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => controller.enqueue(new Uint8Array(4).fill(++counts.read)),
      cancel: () => {
        counts.cancelled++;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, counts };
}

test('reads no more pieces than the limit needs, and cancels the stream', async () => {
  const { stream, counts } = endless();
  expect(await readAtMost(stream, 6)).toEqual(Uint8Array.of(1, 1, 1, 1, 2, 2));
  expect(counts).toEqual({ read: 2, cancelled: 1 });
});

test('a limit that is reached exactly is enough', async () => {
  const { stream, counts } = endless();
  expect(await readAtMost(stream, 4)).toEqual(Uint8Array.of(1, 1, 1, 1));
  expect(counts).toEqual({ read: 1, cancelled: 1 });
});

test('a shorter stream is read to its end', async () => {
  const stream = new Blob([Uint8Array.of(1, 2)]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
  expect(await readAtMost(stream, 6)).toEqual(Uint8Array.of(1, 2));
});

test('a whole file may be as large as the limit, and of a larger one no more is read', async () => {
  const file = new Blob([Uint8Array.of(1, 2)]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
  expect(await readWhole(file, { path: 'a', bytesMax: 2 })).toEqual(Uint8Array.of(1, 2));
  const { stream, counts } = endless();
  await expect(readWhole(stream, { path: 'a', bytesMax: 7 })).rejects.toThrow(FileTooLarge);
  expect(counts).toEqual({ read: 2, cancelled: 1 });
});
