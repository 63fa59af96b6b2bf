import { encodeFrame } from '@holdfast/specs/agent';
import { expect, test } from 'vitest';
import { isOutputCut, shownOutput } from './job-output.ts';

const frames = [
  encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }),
  encodeFrame('stdout', 2, Buffer.from([0xc3])),
  encodeFrame('stderr', 3, Buffer.from('no')),
  encodeFrame('stdout', 4, Buffer.from([0xbc, 0xff])),
  encodeFrame('truncated', 5, { stream: 'stderr', bytes: 7 }),
];

test('yields the bytes of a stream in order and unchanged', async () => {
  const pieces: Buffer[] = [];
  for await (const piece of shownOutput(frames, 'stdout')) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(Buffer.from([0xc3, 0xbc, 0xff]));
});

test('a stream is cut if a `truncated` frame names it', () => {
  expect([isOutputCut(frames, 'stdout'), isOutputCut(frames, 'stderr')]).toEqual([false, true]);
});
