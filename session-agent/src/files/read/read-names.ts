import { type Dir, opendirSync } from 'node:fs';
import { uploadPrefix } from '@holdfast/specs/public';

const uploadBytes = Buffer.from(uploadPrefix);

/** The names in an open directory as bytes, unsorted, without incomplete uploads. `isCut` says that there are more than `max`. */
export function readNames(directory: number, max: number): { names: Buffer[]; isCut: boolean } {
  // With this encoding, names are buffers; Node's types do not say so.
  const entries = opendirSync(`/proc/self/fd/${directory}`, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  const names: Buffer[] = [];
  try {
    for (let name = nextName(entries); name; name = nextName(entries)) {
      if (name.subarray(0, uploadBytes.length).equals(uploadBytes)) continue;
      if (names.length >= max) return { names, isCut: true };
      names.push(name);
    }
    return { names, isCut: false };
  } finally {
    entries.closeSync();
  }
}

const nextName = (entries: Dir): Buffer | undefined => entries.readSync()?.name as unknown as Buffer | undefined;
