import { encodeFrame } from '@holdfast/specs/agent';
import { expect, test } from 'vitest';
import { type FramePart, framePartsOf } from './frame-parts.ts';

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const log = Buffer.concat([
  encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }),
  encodeFrame('stdout', 2, Buffer.from('one')),
  encodeFrame('stdout', 3, Buffer.alloc(0)),
  encodeFrame('result', 4, { data: { 'text/plain': 'x'.repeat(3000) }, metadata: {}, isMain: true }),
  encodeFrame('stderr', 5, Buffer.from('two')),
]);

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const partsOf = async (bytes: Buffer, length: number): Promise<FramePart[]> =>
  (await allOf(framePartsOf(inPieces(bytes, length)))).flat();

/** The frames, put together again. */
function framesOf(parts: readonly FramePart[]) {
  const bySeq = Map.groupBy(parts, ({ seq }) => seq);
  return [...bySeq.values()].map((same) => ({
    type: same[0]?.type,
    from: same[0]?.from,
    payload: Buffer.concat(same.map(({ payload }) => payload)).toString(),
    ends: same.map(({ isFirst, isLast }) => [isFirst, isLast]),
  }));
}

test.each([1, 7, 16, 17, 40, 1000])('pieces of %i bytes give every frame, whole in the end', async (length) => {
  const whole = framesOf(await partsOf(log, log.length));
  const frames = framesOf(await partsOf(log, length));
  expect(frames.map(({ ends: _, ...frame }) => frame)).toEqual(whole.map(({ ends: _, ...frame }) => frame));
  for (const { ends } of frames) {
    expect(ends.map(([isFirst]) => isFirst)).toEqual(ends.map((_, index) => index === 0));
    expect(ends.map(([, isLast]) => isLast)).toEqual(ends.map((_, index) => index === ends.length - 1));
  }
});

test('a frame that is not output comes as a whole', async () => {
  const [started] = framesOf(await partsOf(log, 5));
  expect(started).toMatchObject({ type: 'started', from: 0, ends: [[true, true]] });
});

test('output does not wait for the rest of its frame', async () => {
  const frames = framesOf(await partsOf(log, 40));
  expect(frames.find(({ type }) => type === 'result')?.ends.length).toBeGreaterThan(2);
});

test('a log that is cut off is an error', async () => {
  await expect(partsOf(log.subarray(0, -1), 40)).rejects.toThrow('incomplete');
});
