import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/** More than `record/changed_paths.py` writes: code that has taken over its supervisor may write on. */
const recordBytesMax = 8 * 1024 * 1024;
const recordPathsMax = 20_000;

/** The paths that a program may have changed, as far as they are known. A path has one character for each byte. */
export type PathRecord = {
  /** Whether these are all. Looks at what was recorded until now. */
  isWhole(): boolean;
  has(path: string): boolean;
};

/** A record in a file without a name, which a supervisor appends to; see `languages/python/holdfast_kernel/record`. */
export function openPathRecord(tmp: string): PathRecord & { descriptor: number } & Disposable {
  const path = join(tmp, `holdfast-record-${randomBytes(8).toString('hex')}`);
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;
  const descriptor = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
  unlinkSync(path);
  const paths = new Set<string>();
  let [position, rest] = [0, ''];
  const isFull = () => position >= recordBytesMax || paths.size > recordPathsMax;
  const read = () => {
    const chunk = Buffer.alloc(64 * 1024);
    for (let length = 1; length > 0 && !isFull(); position += length) {
      length = readSync(descriptor, chunk, 0, chunk.length, position);
      const parts = (rest + chunk.toString('latin1', 0, length)).split('\0');
      rest = parts.pop() ?? '';
      for (const part of parts) paths.add(part);
    }
  };
  return {
    descriptor,
    isWhole() {
      read();
      return !paths.has('') && !isFull();
    },
    has: (wanted) => paths.has(wanted) || foldersOf(wanted).some((folder) => paths.has(folder)),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** `a/`, `a/b/` for `a/b/c`. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) folders.push(path.slice(0, end + 1));
  return folders;
}
