import { randomBytes } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createZstdLanes } from './zstd-lanes.ts';

const pieceBytes = 256 * 1024;

test('pieces that are compressed at once, more than there are lanes, each hold their own bytes', async () => {
  const { compress } = createZstdLanes({ lanes: 2, pieceBytes });
  const pieces = Array.from({ length: 7 }, (_, index) =>
    index % 2 ? randomBytes(pieceBytes - index) : Buffer.alloc(pieceBytes - index, `piece ${index} `),
  );
  const packed = await Promise.all(pieces.map((piece) => compress([piece.subarray(0, 1000), piece.subarray(1000)])));
  for (const [index, one] of packed.entries()) {
    expect(zstdDecompressSync(one).equals(pieces[index] as Buffer)).toBe(true);
  }
});

test('a piece that is too long is refused, and the lane serves the next one', async () => {
  const { compress } = createZstdLanes({ lanes: 1, pieceBytes: 8 });
  await expect(compress([Buffer.alloc(9)])).rejects.toThrow(RangeError);
  expect(zstdDecompressSync(await compress([Buffer.from('12345678')])).toString()).toBe('12345678');
});
