import { chmodSync, closeSync, constants, fstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import { type EntryHandle, openHandle, pathOfHandle } from '../paths/entry-handle.ts';
import { fileProblem, systemCode } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { fileClockMs, versionOf } from '../scan/scan-record.ts';
import { type OpenFile, openResolved } from './open-file.ts';
import type { TouchedVersions } from './touched-versions.ts';

type VersionDependencies = {
  workspace: Workspace;
  touched: TouchedVersions;
  /** Called after the time of change of the file has moved. */
  changedByHost: (path: string) => void;
};

/**
 * Opens a file in the state that `version` names, which comes from a scan. Timestamps of files are coarse, so this waits until a later
 * change gets a different timestamp: a reader can then tell whether the file changed. A file that its owner may not read is opened all the
 * same; that moves its time of change, and `version` still names it.
 *
 * @throws Problem `precondition-failed` if the file has changed or is gone, `path-conflict` if it cannot be read
 */
export async function openVersion(
  { workspace, touched, changedByHost }: VersionDependencies,
  { path, version }: { path: string; version: string },
): Promise<OpenFile> {
  const file = openIfSame({ workspace, touched }, { path, version });
  const opened = versionOf(file.stats);
  if (!touched.isSame(path, { version, now: opened })) {
    touched.note(path, { version, now: opened });
    changedByHost(path);
  }
  try {
    const ageMs = Date.now() - Number(file.stats.ctimeMs);
    if (ageMs < fileClockMs) await setTimeout(Math.min(fileClockMs, fileClockMs - ageMs));
    const stats = fstatSync(file.descriptor, { bigint: true });
    if (versionOf(stats) !== opened) throw hasChanged();
    return { ...file, stats };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

function openIfSame(
  { workspace, touched }: Pick<VersionDependencies, 'workspace' | 'touched'>,
  { path, version }: { path: string; version: string },
): OpenFile {
  using resolved = resolvedOrNull(workspace, path);
  const { entry } = resolved ?? {};
  if (!entry || !touched.isSame(path, { version, now: versionOf(entry.stats) })) throw hasChanged();
  try {
    return openResolved({ entry });
  } catch (error) {
    if (!isClosed(entry, error)) throw error;
    return openUnreadable(entry);
  }
}

/** Whether opening failed because of the mode of the file. Root, and users whom an access list names, may read it all the same. */
const isClosed = ({ stats }: EntryHandle, error: unknown): boolean =>
  (Number(stats.mode) & 0o400) === 0 && error instanceof Problem && systemCode(error.cause) === 'EACCES';

/** Opens a file that its owner may not read, and leaves its mode as it was. @throws Problem */
function openUnreadable(entry: EntryHandle): OpenFile {
  const { mode, size, mtimeNs } = entry.stats;
  try {
    const descriptor = openReadable(entry, Number(mode) & 0o7777);
    const stats = fstatSync(descriptor, { bigint: true });
    const release = () => closeSync(descriptor);
    if (stats.size === size && stats.mtimeNs === mtimeNs) return { descriptor, stats, [Symbol.dispose]: release };
    release();
  } catch (error) {
    throw fileProblem(error);
  }
  throw hasChanged();
}

function openReadable(entry: EntryHandle, permissions: number): number {
  chmodSync(pathOfHandle(entry), permissions | 0o400);
  try {
    return openHandle(entry, constants.O_RDONLY);
  } finally {
    chmodSync(pathOfHandle(entry), permissions);
  }
}

function resolvedOrNull(workspace: Workspace, path: string) {
  try {
    return resolvePath(workspace, path, { follow: true });
  } catch (error) {
    // The path itself has changed.
    if (error instanceof Problem) return null;
    throw error;
  }
}

const hasChanged = () => new Problem('precondition-failed', { detail: 'the file has changed' });
