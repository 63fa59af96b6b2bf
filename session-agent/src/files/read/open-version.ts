import { fstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import { fileClockMs } from '../file-clock.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { versionOf } from '../scan/scan-record.ts';
import { type OpenFile, openEntry } from './open-file.ts';

/**
 * Opens a file in the state that `version` names, which is an identity from a scan. From here on a change of the file shows: one that
 * is younger than the clock of its stamps is waited for first.
 *
 * @throws Problem `precondition-failed` where the file is another one by now, or none; `path-conflict` where it cannot be read
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
    if (versionOf(stats) !== version) throw isAnother();
    return { ...file, stats };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

function openIfSame(workspace: Workspace, { path, version }: { path: string; version: string }): OpenFile {
  using place = placeOrNull(workspace, path);
  if (!place?.entry || versionOf(place.entry.stats) !== version) throw isAnother();
  return openEntry(place);
}

function placeOrNull(workspace: Workspace, path: string) {
  try {
    return resolvePath(workspace, path, { follow: true });
  } catch (error) {
    // What leads there is another way by now.
    if (error instanceof Problem) return null;
    throw error;
  }
}

const isAnother = () => new Problem('precondition-failed', { detail: 'the file is not as it was' });
