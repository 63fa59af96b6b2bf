import { collectGarbage } from '../collect-garbage.ts';

const collectAfterBytes = 8 * 1024 * 1024;
let readBytes = 0;

/**
 * To be told of every piece of output that is read. Each is a buffer of its own, and in a flood V8 would let 64 MiB of them lie before it
 * collects.
 */
export function countRead(bytes: number): void {
  readBytes += bytes;
  if (readBytes < collectAfterBytes) return;
  readBytes = 0;
  collectGarbage({ type: 'minor' });
}
