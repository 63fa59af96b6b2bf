import { type Change, type DigestPage, digestPageSchema } from '@holdfast/specs/agent';
import { workspacePath } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { listWorldFiles } from '../registry/world-files/list-world-files.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { confirmDeleted } from './confirm-deleted.ts';

type CompareDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  /** Larger files are not compared. */
  fileBytesMax: number;
};

type Other = NonNullable<DigestPage['others']>[number];

/**
 * `remove`: paths of the world without a file in the working copy. `others`: the first links and special files, which no world has. `isCut`: not
 * all files were compared, as there are too many.
 */
type Comparison = { changes: Change[]; remove: string[]; others: Other[]; isCut: boolean };

const othersMax = 1000;

const filesMax = 100_000;
/** The characters of all paths together. */
const pathLengthMax = 16 * 1024 * 1024;
/** Reading and hashing a page. */
const pageTimeoutMs = 60_000;

/**
 * Compares a session's world with the working copy, by size and digest.
 * @throws AgentError; the reason of `signal`
 */
export async function compareWorld(
  { db, agents, fileBytesMax }: CompareDependencies,
  { route, signal }: { route: Route; signal: AbortSignal },
): Promise<Comparison> {
  const world = await listWorldFiles(db, { sessionId: route.sessionId });
  const unseen = new Map(world.map((file) => [file.path, file]));
  const changes: Change[] = [];
  const others: Other[] = [];
  let files = 0;
  let pathLength = 0;
  const isCut = () => files > filesMax || pathLength > pathLengthMax;
  for (let after: string | null = ''; after !== null && !isCut(); ) {
    signal.throwIfAborted();
    const path = `/v1/files/digests?bytesMax=${fileBytesMax}&after=${after}`;
    const call = { method: 'GET', path, schema: digestPageSchema, signal, timeoutMs: pageTimeoutMs } as const;
    const page: DigestPage = await agents.call(route, call);
    files += page.files.length;
    for (const { path, size, sha256, version } of page.files) {
      pathLength += path.length;
      if (path === '' || workspacePath(path) !== path) continue;
      const known = unseen.get(path);
      unseen.delete(path);
      if (known && known.size === size && known.sha256 === sha256) continue;
      changes.push({ path, change: known ? 'modified' : 'created', size, concurrent: false, version });
    }
    others.push(...(page.others ?? []).slice(0, othersMax - others.length));
    after = page.next;
  }
  // The pages name no file that is reached through a link.
  const remove = await confirmDeleted({ agents }, { route, paths: [...unseen.keys()], signal });
  return { changes, remove, others, isCut: isCut() };
}
