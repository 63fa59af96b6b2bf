import { type Change, type DigestPage, digestPageSchema } from '@holdfast/specs/agent';
import { workspacePath } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { isSameFile } from '../policy/files/same-file.ts';
import type { Tree } from '../policy/files/separate-forbidden.ts';
import { directoriesOf } from '../registry/world-files/directories-of.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { confirmDeleted } from './confirm-deleted.ts';

type CompareDependencies = {
  agents: Pick<AgentClient, 'call'>;
  /** Larger files are not compared. */
  fileBytesMax: number;
};

type Other = NonNullable<DigestPage['others']>[number];

/**
 * `remove`: expected files that the working copy does not have. `directories`: those that only the working copy has, and those that are only
 * expected. `others`: the first special files, and links that no world can keep. `isCut`: not everything was compared, as it is too much.
 */
type Comparison = {
  changes: Change[];
  remove: string[];
  directories: { put: string[]; remove: string[] };
  others: Other[];
  isCut: boolean;
};

const othersMax = 1000;

/** Files and directories. */
const entriesMax = 100_000;
/** The characters of all paths together. */
const pathLengthMax = 16 * 1024 * 1024;
/** Reading and hashing a page. */
const pageTimeoutMs = 60_000;
/** The paths of a page may have many characters that JSON escapes. */
const pageBytesMax = 16 * 2 ** 20;

/**
 * Compares the working copy of a session with what it is expected to be: directories, files by size, digest and mode, and links by their target.
 * @throws AgentError; the reason of `signal`
 */
export async function compareWorld(
  { agents, fileBytesMax }: CompareDependencies,
  { route, expected, signal }: { route: Route; expected: Tree; signal: AbortSignal },
): Promise<Comparison> {
  const unseen = new Map(expected.files);
  const unseenDirectories = new Set(expected.directories);
  const changes: Change[] = [];
  const newDirectories: string[] = [];
  const others: Other[] = [];
  const closed = new Set<string>();
  let listsLinks = true;
  let entries = 0;
  let pathLength = 0;
  let listsDirectories = true;
  const isCut = () => entries > entriesMax || pathLength > pathLengthMax;
  for (let after: string | null = ''; after !== null && !isCut(); ) {
    signal.throwIfAborted();
    const path = `/v1/files/digests?bytesMax=${fileBytesMax}&after=${after}`;
    const page: DigestPage = await agents.call(route, {
      method: 'GET',
      path,
      schema: digestPageSchema,
      answerBytesMax: pageBytesMax,
      signal,
      timeoutMs: pageTimeoutMs,
    });
    const { directories = [] } = page;
    listsDirectories &&= page.directories !== undefined;
    listsLinks &&= page.links !== undefined;
    entries += page.files.length + directories.length;
    for (const path of directories) {
      pathLength += path.length;
      if (path === '' || workspacePath(path) !== path) continue;
      if (!unseenDirectories.delete(path)) newDirectories.push(path);
    }
    for (const { path, size, sha256, version, executable, mode } of page.files) {
      pathLength += path.length;
      if (path === '' || workspacePath(path) !== path) continue;
      const known = unseen.get(path);
      unseen.delete(path);
      if (known && known.size === size && sha256 !== null && isSameFile(known, { sha256, executable, mode })) continue;
      changes.push({
        path,
        change: known ? 'modified' : 'created',
        size,
        concurrent: false,
        version,
        executable,
        mode,
      });
    }
    const links = new Map(page.links?.map(({ path, target }) => [path, target]));
    for (const [path, target] of links) {
      entries += 1;
      pathLength += path.length + target.length;
      if (path === '' || workspacePath(path) !== path) continue;
      const known = unseen.get(path);
      unseen.delete(path);
      if (known?.target === target) continue;
      const size = Buffer.byteLength(target);
      changes.push({ path, change: known ? 'modified' : 'created', size, concurrent: false, target });
    }
    const unkept = page.others?.filter(({ path }) => !links.has(path)) ?? [];
    others.push(...unkept.slice(0, othersMax - others.length));
    for (const directory of page.unreadable ?? []) {
      entries += 1;
      pathLength += directory.length;
      closed.add(directory);
    }
    after = page.next;
  }
  const isKnown = (path: string) => !directoriesOf(path).some((directory) => closed.has(directory));
  const missing = [...unseen].flatMap(([path, { target }]) => (isKnown(path) && (listsLinks || !target) ? [path] : []));
  // The pages name no file that is reached through a link.
  const remove = await confirmDeleted({ agents }, { route, paths: missing, signal });
  // Without a complete list it is not known which directories are gone.
  const removedDirectories = listsDirectories && !isCut() ? [...unseenDirectories].filter(isKnown) : [];
  return { changes, remove, directories: { put: newDirectories, remove: removedDirectories }, others, isCut: isCut() };
}
