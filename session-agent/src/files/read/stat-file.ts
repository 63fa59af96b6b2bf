import { isUtf8 } from 'node:buffer';
import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type FileStat, Problem } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import { fileProblem, isMissing } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { type ResolvedPath, resolvePath } from '../paths/resolve-path.ts';
import { entryFrom, timeOf } from './list-files.ts';

/** Set-user-id, set-group-id and sticky, and the permissions (inode(7)). */
const modeBits = 0o7777n;

/**
 * Describes a file, a directory or a link (not its target). Opens none of them, so a FIFO or a device is described as well.
 * @throws Problem `not-found`, `outside-workspace`, `path-conflict`
 */
export async function statFile(
  { workspace, ownName }: { workspace: Workspace; ownName?: string },
  path: string,
): Promise<FileStat> {
  const { stats, linkTarget } = lookUp(workspace, path);
  const [uid, gid] = [Number(stats.uid), Number(stats.gid)];
  return {
    ...entryFrom({ path: Buffer.from(path), stats }),
    mode: (stats.mode & modeBits).toString(8).padStart(4, '0'),
    uid,
    gid,
    owner: (uid === process.getuid?.() && ownName) || (await nameOf('/etc/passwd', uid)),
    group: (gid === process.getgid?.() && ownName) || (await nameOf('/etc/group', gid)),
    linkTarget,
    changedAt: timeOf(stats.ctimeMs),
    accessedAt: timeOf(stats.atimeMs),
  };
}

function lookUp(workspace: Workspace, path: string) {
  using resolved = resolvePath(workspace, path, { follow: false });
  const { entry } = resolved;
  if (!entry) throw new Problem('not-found', { detail: 'nothing exists at this path' });
  return { stats: entry.stats, linkTarget: entry.stats.isSymbolicLink() ? targetOf(resolved) : null };
}

/** A name of the target that is not UTF-8 is shown with U+FFFD. */
function targetOf({ directory, name }: ResolvedPath): string {
  try {
    return readlinkSync(pathIn(directory, name), { encoding: 'buffer' }).toString();
  } catch (error) {
    throw fileProblem(error);
  }
}

/** The name of an id in passwd(5) or group(5), which both have it in the third field. */
async function nameOf(database: string, id: number): Promise<string | null> {
  const text = await readFile(database).catch((error) => {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  });
  if (!isUtf8(text)) return null;
  const fields = text
    .toString()
    .split('\n')
    .map((line) => line.split(':'));
  return fields.find(([, , found]) => found === String(id))?.[0]?.slice(0, 256) || null;
}
