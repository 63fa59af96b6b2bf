import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { expect, test } from 'vitest';
import { findPackedPart, packEvents, packedHeadBytesMax, unpackPart } from './packed-events.ts';

const lines = Buffer.from(Array.from({ length: 60_000 }, (_, i) => `line ${i} of ${i * 7919}\n`).join(''));

async function packed(...frames: Buffer[]): Promise<Buffer> {
  return Buffer.concat((await packEvents(frames)) as Buffer[]);
}

async function read(stored: Buffer, part: { from: number; length: number }): Promise<Buffer> {
  const found = findPackedPart(stored.subarray(0, packedHeadBytesMax), part);
  return await unpackPart(stored.subarray(found.from, found.end), found, part.length);
}

test.each([
  { from: 0, length: 1 },
  { from: 0, length: 256 * 1024 },
  { from: 256 * 1024, length: 256 * 1024 },
  { from: 100_000, length: 700_000 },
  { from: 256 * 1024 - 1, length: 2 },
  { from: lines.length - 10, length: 10 },
  { from: 0, length: lines.length },
])('any part can be read, case %#', async ({ from, length }) => {
  const stored = await packed(lines.subarray(0, 5), lines.subarray(5, 900_000), lines.subarray(900_000));
  expect(stored.length).toBeLessThan(lines.length / 2);
  expect((await read(stored, { from, length })).equals(lines.subarray(from, from + length))).toBe(true);
});

test('bytes that take no less room are left as they are', async () => {
  expect(await packEvents([randomBytes(300_000)])).toBe(null);
  expect(await packEvents([randomBytes(3_000_000)])).toBe(null);
});

test('events that would need much memory beside the frames are left as they are', async () => {
  const half = Buffer.from(randomBytes(1_500_000).toString('base64'));
  expect(await packEvents([half])).not.toBe(null);
  expect(await packEvents(Array.from({ length: 12 }, () => half))).toBe(null);
});

test('events that would have too many pieces are left as they are', async () => {
  expect(await packEvents(Array.from({ length: 1025 }, () => Buffer.alloc(256 * 1024)))).toBe(null);
});

test('a piece that holds more than a piece may hold is not unpacked', async () => {
  const bomb = await promisify(zstdCompress)(Buffer.alloc(256 * 1024 + 1));
  const part = { from: 0, end: bomb.length, skippedBytes: 0, sizes: [bomb.length] };
  await expect(unpackPart(bomb, part, 10)).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
});
