import { expect, test } from 'vitest';
import { readUint32, writeUint32 } from './uint32.ts';

test.each([0, 1, 255, 256, 0x12345678, 0x7fffffff, 0x80000000, 0xffffffff])(
  'writes and reads %i as Node does',
  (value) => {
    const expected = Buffer.alloc(8, 0xa5);
    expected.writeUInt32BE(value, 3);
    const written = Buffer.alloc(8, 0xa5);
    writeUint32(written, 3, value);
    expect(written).toEqual(expected);
    expect(readUint32(written, 3)).toBe(value);
  },
);
