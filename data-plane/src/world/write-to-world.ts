import { newId, type Omission } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Content, Contents } from '../contents/contents.ts';
import { proposedChanges } from '../policy/files/proposed-changes.ts';
import { readExpected } from '../policy/files/read-expected.ts';
import { separateForbidden } from '../policy/files/separate-forbidden.ts';
import type { WorldRule } from '../policy/files/world-rules.ts';
import { type NewAuditEntry, recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { insertProposal, nextProposalNumber } from '../registry/proposals/insert-proposal.ts';
import type { WorldFile } from '../registry/world-files/list-world-files.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { releaseWorld } from '../registry/world-files/release-world.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { Worlds } from './create-worlds.ts';
import { putBack, wantedAt } from './put-back.ts';
import { worldIsBusy } from './record-change.ts';
import { type FileLimits, reserveFiles } from './reserve-files.ts';

export type WriteWorldDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  contents: Pick<Contents, 'store' | 'open'>;
  worlds: Pick<Worlds, 'write'>;
  limits: FileLimits;
};

type WriteWorldInput = {
  route: Route;
  /** The step whose code asks. */
  stepId: string;
  /** In the form of `workspacePath`. */
  path: string;
  bytes: Uint8Array;
  /** Recorded in the audit log with the change. */
  entry: NewAuditEntry;
};

/** `proposalId` is null if the world has the file. */
type WrittenToWorld = Content & { path: string; proposalId: string | null };

/** `rule` forbids it; `omission` is the limit that leaves no room for it. */
type NotWritten = { rule: WorldRule } | { omission: Omission };

const writeMsMax = 60_000;

/**
 * Writes a file at the request of code: into the working copy, and into the world or, in proposal mode, into a proposal of its own. The rules of
 * the policy hold as they do for files that code writes by itself.
 * @throws Problem 404, 503; AgentError
 */
export async function writeToWorld(
  deps: WriteWorldDependencies,
  { route, stepId, path, bytes, entry }: WriteWorldInput,
): Promise<WrittenToWorld | NotWritten> {
  const { db, contents, worlds, limits } = deps;
  const { sessionId, tenant } = route;
  if (bytes.length > limits.keptFileBytesMax) return { omission: 'too-large' };
  const content = await contents.store(once(bytes), { bytesMax: bytes.length });
  return await worlds.write({ sessionId, route }, async ({ claim, touch }) => {
    const give = async (answer: NotWritten) => {
      await releaseWorld(db, claim);
      return answer;
    };
    const { rules, all, visible } = await readExpected(db, claim);
    const { executable = false, mode = '0644' } = all.files.get(path) ?? {};
    // A mode that is not known stays so: it may forbid others to read the file.
    const file: WorldFile = { path, ...content, executable, mode };
    const difference = { put: [file], unstored: [], remove: [], directories: { put: [], remove: [] } };
    const { allowed, refused } = separateForbidden(difference, { expected: all, rules });
    const rule = refused.get(path);
    if (rule !== undefined) return await give({ rule });
    const sized = { tenant, claim, files: [{ path, size: content.size }], filesMax: 1 };
    const [omission] = await reserveFiles({ db, limits }, sized);
    if (omission) return await give({ omission });
    const isKnown = allowed.put.length === 0;
    const proposal =
      rules.isProposing && !isKnown
        ? {
            id: newId('prp'),
            stepId,
            number: await nextProposalNumber(db, claim),
            changes: proposedChanges(allowed, all),
          }
        : null;
    const files = new Map([...visible.files, [path, file]]);
    for (const removed of allowed.remove) files.delete(removed);
    const directories = new Set([...visible.directories, ...allowed.directories.put]);
    const wanted = wantedAt([path], { files, directories });
    await touch(() => putBack(deps, { route, wanted, signal: AbortSignal.timeout(writeMsMax) }), {
      leavesAll: () => false,
    });
    const world = proposal ? { put: [], remove: [] } : allowed;
    const also = async (tx: Parameters<typeof recordAudit>[0]) => {
      if (proposal) await insertProposal(tx, { sessionId, proposal });
      await recordAudit(tx, entry);
    };
    if (!(await recordChanges(db, { claim, artifacts: [], ...world, underRules: true, also }))) throw worldIsBusy();
    return { path, ...content, proposalId: proposal?.id ?? null };
  });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
