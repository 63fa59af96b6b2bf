import { fstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { fileClockMs, versionOf } from '../scan/scan-record.ts';
import { type OpenFile, openResolved } from './open-file.ts';

/**
 * Opens a file in the state that `version` names, which comes from a scan. Timestamps of files are coarse, so this waits until a later
 * change gets a different timestamp: a reader can then tell whether the file changed.
 *
 * @throws Problem `precondition-failed` if the file has changed or is gone, `path-conflict` if it cannot be read
 */
export async function openVersion(
  workspace: Workspace,
  { path, version }: { path: string; version: string },
): Promise<OpenFile> {
  const file = openIfSame(workspace, { path, version });
  try {
    const ageMs = Date.now() - Number(file.stats.ctimeMs);
    if (ageMs < fileClockMs) await setTimeout(Math.min(fileClockMs, fileClockMs - ageMs));
    const stats = fstatSync(file.descriptor, { bigint: true });
    if (versionOf(stats) !== version) throw hasChanged();
    return { ...file, stats };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

function openIfSame(workspace: Workspace, { path, version }: { path: string; version: string }): OpenFile {
  using resolved = resolvedOrNull(workspace, path);
  if (!resolved?.entry || versionOf(resolved.entry.stats) !== version) throw hasChanged();
  return openResolved(resolved);
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
