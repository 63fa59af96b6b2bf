/*
 * Every step writes and reads dozens of these numbers. Node's own functions for them call five others to check their arguments, which in the young
 * program of a session-agent was an eighth of all calls. So the caller sees to it that the four bytes are in the buffer.
 */

/** The big-endian number in the four bytes at `offset`. */
export function readUint32(buffer: Uint8Array, offset: number): number {
  const high = ((buffer[offset] as number) << 8) | (buffer[offset + 1] as number);
  const low = ((buffer[offset + 2] as number) << 8) | (buffer[offset + 3] as number);
  return high * 0x10000 + low;
}

/** Writes a number from 0 to 2^32 - 1, big-endian, into the four bytes at `offset`. */
export function writeUint32(buffer: Uint8Array, offset: number, value: number): void {
  buffer[offset] = value >>> 24;
  buffer[offset + 1] = value >>> 16;
  buffer[offset + 2] = value >>> 8;
  buffer[offset + 3] = value;
}
