import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** So many bytes from agents make about twice as much garbage. */
const bytesMin = 8 * 1024 * 1024;

let collect: ((options: { type: 'minor' }) => void) | undefined;
let bytes = 0;

/**
 * Collects the young garbage if enough bytes have come since the last time. Buffers are garbage soon after they have come, but V8 collects
 * young garbage only when it has many objects, and a buffer is one. So the buffers would fill the memory first, and V8 would collect all
 * garbage: after every twentieth step that prints a megabyte, in about a hundred times the time.
 */
export function noteBytes(length: number): void {
  bytes += length;
  if (bytes < bytesMin) return;
  bytes = 0;
  collect ??= expose();
  collect({ type: 'minor' });
}

function expose(): NonNullable<typeof collect> {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
