import { constants, openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type Change, unpackedDirectoriesMax } from '@holdfast/specs/agent';
import { type ArchiveFormat, Problem, type Unpacked } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { permissionsIn } from '../scan/scan-record.ts';
import { makeDirectory } from '../write/make-directory.ts';
import { type StagedFile, stageFile } from '../write/stage-file.ts';
import { assertReplaceable, moveIntoPlace } from '../write/write-file.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { refused } from './archive-names.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';
import { makeStagingDirectory } from './staging-directory.ts';

/** After this many entries, other work of the agent may run. */
const placedAtOnce = 64;

export type UnpackInput = {
  /** The directory to unpack into; created if it is missing. */
  path: string;
  format: ArchiveFormat;
  body: AsyncIterable<Uint8Array>;
  /** The limit for the archive and for its unpacked files. */
  bytesMax: number;
};

/**
 * Unpacks an archive. All of it is received and checked before the first file is moved to its place, and each file is moved atomically.
 * Existing files are replaced. `changes` has the new version of each file; `directories` those of the archive, null if they are too many.
 *
 * @throws Problem `archive-refused`, `body-too-large`, `workspace-full`, `path-conflict`
 */
export async function unpackArchive(
  workspace: Workspace,
  input: UnpackInput,
): Promise<Unpacked & { changes: Change[]; directories: string[] | null }> {
  using target = resolvePath(workspace, input.path, { follow: true });
  if (target.entry && !target.entry.stats.isDirectory()) {
    throw new Problem('path-conflict', { detail: 'a file exists at the path of a directory' });
  }
  await using staging = makeStagingDirectory(target.entry?.descriptor ?? target.directory);
  const staged = await stage(staging.descriptor, input);
  for await (const { path } of interruptibly(staged.files)) assertFree(workspace, { path, kind: 'file' });
  for await (const path of interruptibly(staged.directories)) assertFree(workspace, { path, kind: 'directory' });
  makeDirectory(workspace, input.path);
  for await (const path of interruptibly(staged.directories)) makeDirectory(workspace, path);
  const changes: Change[] = [];
  for await (const { path, file } of interruptibly(staged.files)) changes.push(placeFile(workspace, { path, file }));
  return { files: changes.length, bytes: staged.bytes, changes, directories: withParents(staged.directories) };
}

function placeFile(workspace: Workspace, { path, file }: { path: string; file: StagedFile }): Change {
  const { isNew, version } = moveIntoPlace(workspace, { path, staged: file });
  const change = isNew ? 'created' : 'modified';
  return { path, change, size: file.size, concurrent: false, version, ...permissionsIn(version) };
}

/** The directories and all above them; null if they are too many. */
function withParents(paths: readonly string[]): string[] | null {
  const directories = new Set<string>();
  for (const path of paths) {
    for (let parent = path; parent !== '' && !directories.has(parent); parent = directoryOf(parent)) {
      directories.add(parent);
      if (directories.size > unpackedDirectoriesMax) return null;
    }
  }
  return [...directories];
}

const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

type Staged = { files: { path: string; file: StagedFile }[]; directories: string[]; bytes: number };

async function stage(directory: number, { path: below, format, body, bytesMax }: UnpackInput): Promise<Staged> {
  const staged: Staged = { files: [], directories: [], bytes: 0 };
  const pathOf = (path: string) => [below, path].filter((part) => part !== '').join('/');
  try {
    const entries = format === 'tar' ? readTar(body) : stagedZip(directory, { body, bytesMax });
    for await (const entry of entries) {
      if (entry.kind === 'directory') {
        staged.directories.push(pathOf(entry.path));
        continue;
      }
      const file = await stageFile(directory, {
        body: entry.body,
        bytesMax: bytesMax - staged.bytes,
        name: String(staged.files.length),
        mode: entry.mode & 0o111 ? 0o777 : 0o666,
      });
      staged.bytes += file.size;
      staged.files.push({ path: pathOf(entry.path), file });
    }
    return staged;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('archive-refused', { detail: `it is not a whole ${format}`, cause: error });
  }
}

/** A zip is read from its end, so it is stored in a file first. */
async function* stagedZip(
  directory: number,
  { body, bytesMax }: Pick<UnpackInput, 'body' | 'bytesMax'>,
): AsyncGenerator<ArchiveEntry> {
  const { size } = await stageFile(directory, { body, bytesMax, name: 'zip' });
  if (size === 0) throw refused('it is empty');
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  yield* readZip({ descriptor: openSync(pathIn(directory, 'zip'), flags), size });
}

function assertFree(workspace: Workspace, { path, kind }: { path: string; kind: 'file' | 'directory' }): void {
  using target = resolvePath(workspace, path, { follow: true });
  if (kind === 'file') assertReplaceable(target);
  else if (target.entry && !target.entry.stats.isDirectory()) {
    throw new Problem('path-conflict', { detail: 'a file exists at the path of a directory' });
  }
}

/** Lets other work of the agent run now and then. */
async function* interruptibly<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let done = 0;
  for (const item of items) {
    if (++done % placedAtOnce === 0) await setImmediate();
    yield item;
  }
}
