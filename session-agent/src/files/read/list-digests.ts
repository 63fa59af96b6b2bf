import { isUtf8 } from 'node:buffer';
import { accessSync, constants } from 'node:fs';
import { type DigestPage, digestsPerPageMax } from '@holdfast/specs/agent';
import { workspacePath } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { targetIn } from '../scan/read-link.ts';
import { permissionsIn, versionOf } from '../scan/scan-record.ts';
import type { FileDigests } from './file-digests.ts';
import { openFile } from './open-file.ts';
import { type WalkedEntry, walkTree } from './walk-tree.ts';

/** A page ends after this many entries of any kind, or bytes to hash. */
const entriesMax = 20_000;
const hashedBytesMax = 256 * 1024 * 1024;
/** For all paths of a page together, as code may give its files very long ones. */
const pathBytesMax = 1024 * 1024;

/** The names of one directory that are read for a page. */
const namesMax = 1_000_000;

/** A name that no request can have may be long. */
const shownCharactersMax = 4096;

type Workspaces = { workspace: Workspace; digests: FileDigests };
type PageInput = {
  /** The `next` of the page before, or empty. */
  after: string;
  /** Larger files get no digest. */
  bytesMax: number;
};

/** Lists the directories and the sizes, versions and digests of the regular files of the workspace, page by page, and names what else there is. */
export async function listDigests(
  { workspace, digests }: Workspaces,
  { after, bytesMax }: PageInput,
): Promise<DigestPage> {
  const files: DigestPage['files'] = [];
  const directories: string[] = [];
  const others: NonNullable<DigestPage['others']> = [];
  const links: NonNullable<DigestPage['links']> = [];
  const unreadable: string[] = [];
  let [entries, bytes, pathBytes] = [0, 0, 0];
  const options = { depthMax: Number.POSITIVE_INFINITY, entriesMax: namesMax, after: namesIn(after) };
  for (const walked of walkTree(workspace.descriptor, options)) {
    const { path, stats } = walked;
    const text = textOf(path);
    if (text === null || !(stats.isFile() || stats.isDirectory())) {
      const shown = Buffer.from(path, 'latin1').toString().slice(0, shownCharactersMax);
      others.push({ path: shown, kind: stats.isSymbolicLink() ? 'link' : 'other' });
      const target = text !== null && stats.isSymbolicLink() ? targetOrNull(walked) : null;
      if (text !== null && target !== null) links.push({ path: text, target });
      pathBytes += target?.length ?? 0;
    } else if (stats.isDirectory()) {
      directories.push(text);
      if (!canRead(walked)) unreadable.push(text);
    } else {
      const size = Number(stats.size);
      const isHashed = size <= bytesMax;
      if (isHashed) bytes += size;
      const version = versionOf(stats);
      files.push({
        path: text,
        size,
        version,
        ...permissionsIn(version),
        sha256: isHashed ? await digestOf({ workspace, digests }, text) : null,
      });
    }
    entries += 1;
    pathBytes += path.length;
    const listed = Math.max(files.length, directories.length, others.length);
    if (listed >= digestsPerPageMax || entries >= entriesMax || bytes >= hashedBytesMax || pathBytes >= pathBytesMax)
      return { files, directories, unreadable, links, others, next: Buffer.from(path, 'latin1').toString('base64url') };
  }
  return { files, directories, unreadable, links, others, next: null };
}

function namesIn(after: string): Buffer[] {
  if (after === '') return [];
  const names = Buffer.from(after, 'base64url').toString('latin1').split('/');
  return names.map((name) => Buffer.from(name, 'latin1'));
}

/** Null if no request can name it. `path` has one character for each byte. */
function textOf(path: string): string | null {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString();
  return isUtf8(bytes) && workspacePath(text) === text ? text : null;
}

function targetOrNull({ directory, name }: WalkedEntry): string | null {
  try {
    return targetIn(directory, name);
  } catch {
    return null;
  }
}

function canRead({ directory, name }: WalkedEntry): boolean {
  try {
    accessSync(pathIn(directory, name), constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Null if the file cannot be read, or is gone by now. */
async function digestOf({ workspace, digests }: Workspaces, path: string): Promise<string | null> {
  try {
    using file = openFile(workspace, path);
    return await digests.of(file);
  } catch {
    return null;
  }
}
