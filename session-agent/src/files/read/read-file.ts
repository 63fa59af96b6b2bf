import { fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { Problem } from '@holdfast/specs/public';
import { fileIdentity } from '../file-identity.ts';
import type { OpenFile } from './open-file.ts';

const pieceBytesMax = 256 * 1024;
const readInto = promisify(read);

/**
 * The bytes of an open file from `start` to before `end`, in pieces of one buffer that are good until the next one is asked for.
 *
 * @throws Problem `path-conflict` where the file has become shorter; with `quiet`, before the last piece, `precondition-failed` where it is
 * not as it was when it was opened
 */
export async function* readFile(
  { descriptor, stats }: OpenFile,
  { start, end, quiet = false }: { start: number; end: number; quiet?: boolean },
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytesMax, Math.max(1, end - start)));
  for (let position = start; position < end; ) {
    const wanted = Math.min(buffer.length, end - position);
    const { bytesRead } = await readInto(descriptor, buffer, 0, wanted, position);
    if (bytesRead === 0) throw changed(quiet);
    position += bytesRead;
    if (quiet && position >= end && fileIdentity(fstatSync(descriptor, { bigint: true })) !== fileIdentity(stats)) {
      throw changed(quiet);
    }
    yield buffer.subarray(0, bytesRead);
  }
}

const changed = (quiet: boolean) =>
  new Problem(quiet ? 'precondition-failed' : 'path-conflict', { detail: 'the file changed while it was read' });
