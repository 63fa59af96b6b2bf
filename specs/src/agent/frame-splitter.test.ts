import { expect, test } from 'vitest';
import { FrameSplitter } from './frame-splitter.ts';
import { encodeFrame, type Frame, FrameError, framePayloadBytesMax, frameTypes } from './frames.ts';

const mebibyte = 1024 * 1024;
const frames = [
  encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }),
  encodeFrame('stdout', 2, Buffer.alloc(0)),
  encodeFrame('stdout', 3, Buffer.alloc(100_000, 'x')),
  encodeFrame('result', 4, Buffer.alloc(3 * mebibyte, 'y')),
];

test.each([1, 15, 16, 17, 1000, 65_536, 10 * mebibyte])('frames are the same in chunks of %i bytes', (size) => {
  const stream = Buffer.concat(size === 1 ? frames.slice(0, 3) : frames);
  const splitter = new FrameSplitter();
  const found: Frame[] = [];
  for (let at = 0; at < stream.length; at += size) found.push(...splitter.split(stream.subarray(at, at + size)));
  expect(Buffer.concat(found.map(({ bytes }) => bytes)).equals(stream)).toBe(true);
  expect(found.map(({ seq }) => seq)).toEqual(found.map((_, index) => index + 1));
});

test('a frame that is not complete takes no more memory than eight times its bytes, whatever length it announces', () => {
  const splitter = new FrameSplitter();
  const [head, rest] = [encodeFrame('result', 1, Buffer.alloc(8 * mebibyte)), Buffer.alloc(65_536)];
  splitter.split(head.subarray(0, 16));
  expect(splitter.heldBytes).toBeLessThanOrEqual(8 * 16);
  for (let sent = rest.length; sent <= 4 * mebibyte; sent += rest.length) {
    splitter.split(rest);
    expect(splitter.heldBytes).toBeLessThanOrEqual(Math.min(8 * (sent + 16), 8 * mebibyte + 16));
  }
  for (let byte = 0; byte < 1000; byte++) splitter.split(rest.subarray(0, 1));
  expect(splitter.heldBytes).toBeLessThanOrEqual(8 * mebibyte + 16);
});

test('the end of a chunk does not stay in memory with the whole of it', () => {
  const splitter = new FrameSplitter();
  splitter.split(Buffer.concat([frames[2] as Buffer, Buffer.from([frameTypes.stdout])]));
  expect(splitter.heldBytes).toBeLessThan(100);
});

test.each(Object.keys(frameTypes) as (keyof typeof frameTypes)[])(
  'rejects a %s frame that announces too many bytes as soon as its header is there',
  (type) => {
    const head = encodeFrame(type, 1, Buffer.alloc(0));
    head.writeUInt32BE(framePayloadBytesMax[type] + 1, 12);
    expect(() => new FrameSplitter().split(head)).toThrow(FrameError);
  },
);
