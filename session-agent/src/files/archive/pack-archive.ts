import { type ArchiveFormat, Problem } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { openDirectoryEntry } from '../read/open-file.ts';
import { packTar } from './pack-tar.ts';
import { packZip } from './pack-zip.ts';
import { packedFiles } from './packed-files.ts';

/**
 * Packs a directory as an archive, in pieces. Fails in the middle if a file becomes shorter while it is read.
 * @throws Problem `not-found`, `path-conflict`, before the first piece
 */
export function packArchive(
  workspace: Workspace,
  { path, format }: { path: string; format: ArchiveFormat },
): AsyncGenerator<Uint8Array> {
  using target = resolvePath(workspace, path, { follow: true });
  if (!target.entry) throw new Problem('not-found', { detail: 'this directory does not exist' });
  if (!target.entry.stats.isDirectory()) throw new Problem('path-conflict', { detail: 'it is not a directory' });
  return pack(openDirectoryEntry(target.entry), format);
}

async function* pack(opened: ReturnType<typeof openDirectoryEntry>, format: ArchiveFormat): AsyncGenerator<Uint8Array> {
  using directory = opened;
  const leftOut = { names: 0, unreadable: 0, others: 0 };
  const files = packedFiles(directory.descriptor, leftOut);
  try {
    yield* format === 'tar' ? packTar(files, { directory: directory.descriptor, leftOut }) : packZip(files);
  } finally {
    files.return(undefined);
  }
}
