import { fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { Problem } from '@holdfast/specs/public';
import type { OpenFile } from './open-file.ts';
import { fileIdentity } from './open-file.ts';

const pieceBytesMax = 256 * 1024;
const readInto = promisify(read);

/**
 * The bytes of an open file from `start` to before `end`. All pieces share one buffer: each is valid until the next is requested.
 *
 * @throws Problem `path-conflict` if the file has become shorter; with `unchanged`, `precondition-failed` before the last piece if the file
 * has changed since it was opened
 */
export async function* readFile(
  { descriptor, stats }: OpenFile,
  { start, end, unchanged = false }: { start: number; end: number; unchanged?: boolean },
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytesMax, Math.max(1, end - start)));
  for (let position = start; position < end; ) {
    const wanted = Math.min(buffer.length, end - position);
    const { bytesRead } = await readInto(descriptor, buffer, 0, wanted, position);
    if (bytesRead === 0) throw changed(unchanged);
    position += bytesRead;
    if (unchanged && position >= end && fileIdentity(fstatSync(descriptor, { bigint: true })) !== fileIdentity(stats)) {
      throw changed(unchanged);
    }
    yield buffer.subarray(0, bytesRead);
  }
}

const changed = (unchanged: boolean) =>
  new Problem(unchanged ? 'precondition-failed' : 'path-conflict', { detail: 'the file changed while it was read' });
