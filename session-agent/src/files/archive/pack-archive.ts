import { type ArchiveFormat, Problem } from '@holdfast/specs/public';
import { openDirectoryEntry } from '../open-place-directory.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { packTar } from './pack-tar.ts';
import { packZip } from './pack-zip.ts';
import { packedFiles } from './packed-files.ts';

/**
 * A directory as an archive, in pieces as they come; a file that becomes shorter while it is read ends it with an error.
 * @throws Problem `not-found`, `path-conflict`, before the first piece
 */
export function packArchive(
  workspace: Workspace,
  { path, format }: { path: string; format: ArchiveFormat },
): AsyncGenerator<Uint8Array> {
  using place = resolvePath(workspace, path, { follow: true });
  if (!place.entry) throw new Problem('not-found', { detail: 'there is no such directory' });
  if (!place.entry.stats.isDirectory()) throw new Problem('path-conflict', { detail: 'it is no directory' });
  return pack(openDirectoryEntry(place.entry), format);
}

async function* pack(held: ReturnType<typeof openDirectoryEntry>, format: ArchiveFormat): AsyncGenerator<Uint8Array> {
  using directory = held;
  const files = packedFiles(directory.descriptor);
  try {
    yield* format === 'tar' ? packTar(files) : packZip(files);
  } finally {
    files.return(undefined);
  }
}
