import { type Language, newId, Problem } from '@holdfast/specs/public';
import { copyOpenProposals } from '../proposals/copy-open-proposals.ts';
import type { Queries } from '../queries.ts';
import type { ContextRow } from '../schema/contexts.ts';
import { boundLocks } from '../tenants/lock-tenant.ts';
import type { StorageLimits } from '../tenants/read-room.ts';
import { recountWithinLimits } from '../tenants/recount-within-limits.ts';
import { claimStatement } from '../warm-sandboxes/claim-warm-sandbox.ts';
import { lockWorldVersion } from '../world-files/world-version.ts';
import { type InsertedSession, insertStatement, type NewSession, quotaLock } from './insert-session.ts';

/** A stored state with which a context begins. */
type FirstState = { contextId: string; language: Language; sha256: string; size: number };

/** With what sessions begin. */
export type FirstStates = {
  /** All contexts but default contexts. */
  contexts: readonly Pick<ContextRow, 'id' | 'language' | 'cwd' | 'settings'>[];
  states: readonly FirstState[];
  files: { of: 'session'; id: string; version: string } | { of: 'snapshot'; id: string; count: number } | null;
};

type InsertInput = { sessions: readonly NewSession[]; first: FirstStates; limits: StorageLimits };

/**
 * Inserts sessions of one tenant as `creating`, all or none, with the states and the files with which they begin. Their sandboxes get
 * them in the way of a recovery. Claims warm sandboxes as `insertSession` does.
 * @returns `quota-reached` if the tenant may not have so many more sessions, or has a living session with the client's key; `files-changed` if the world that is to be copied has
 * another version by now
 * @throws Problem 422 if the snapshot with the files is being deleted, 507
 */
export async function insertWithState(
  { transaction }: Queries,
  { sessions, first, limits }: InsertInput,
): Promise<InsertedSession[] | 'quota-reached' | 'files-changed'> {
  const [one] = sessions;
  if (!one) return [];
  const { tenant, sessionsMax } = one;
  return await transaction(async (tx) => {
    await boundLocks(tx);
    if (first.files?.of === 'session') {
      const { id: sessionId, version } = first.files;
      if (!(await lockWorldVersion(tx, { sessionId, version }))) return 'files-changed';
    }
    await quotaLock(tx.sql, one);
    const [used] = await tx.sql<{ count: number }[]>`
      select count(*)::int as count from sessions where tenant = ${tenant} and sandbox_gone_at is null`;
    if ((used?.count ?? 0) + sessions.length > sessionsMax) return 'quota-reached';
    const inserted: InsertedSession[] = [];
    for (const { warm, ...row } of sessions) {
      const [session] = await insertStatement(tx.sql, row);
      if (!session) return 'quota-reached';
      const claim = { sessionId: session.id, epoch: 1, ...warm };
      const [claimed] = warm ? await claimStatement(tx.sql, { ...claim, ...warm }) : [];
      inserted.push({ session, claimed: claimed ?? null });
    }
    const ids = sessions.map(({ id }) => id);
    await insertFirstStates(tx, { ids, first });
    if (first.files?.of === 'session') await copyOpenProposals(tx, { from: first.files.id, to: ids });
    for (const sessionId of ids) await recountWithinLimits(tx, { sessionId, tenant, limits });
    return inserted;
  });
}

async function insertFirstStates(
  { sql }: Queries,
  { ids, first: { contexts, states, files } }: { ids: readonly string[]; first: FirstStates },
): Promise<void> {
  await sql`
    insert into contexts (session_id, id, language, cwd, settings)
    select s.id, c.* from unnest(${[...ids]}::text[]) as s(id) cross join
      jsonb_to_recordset(${JSON.stringify(contexts)}::text::jsonb) as c(id text, language text, cwd text, settings text)`;
  const snapshots = ids.flatMap((sessionId) => states.map((state) => ({ id: newId('snp'), sessionId, ...state })));
  await sql`
    insert into snapshots (id, session_id, context_id, language, origin, sha256, size, epoch, context_epoch, execution_count)
    select id, "sessionId", "contextId", language, 'base', decode(sha256, 'hex'), size, 1, 1, 0
    from jsonb_to_recordset(${JSON.stringify(snapshots)}::text::jsonb)
      as n(id text, "sessionId" text, "contextId" text, language text, sha256 text, size bigint)`;
  if (!files) return;
  const source =
    files.of === 'session'
      ? sql`select path, size, sha256, executable, mode, target from world_files where session_id = ${files.id}`
      : sql`select path, size, sha256, executable, mode, target from snapshot_files where snapshot_id = ${files.id}`;
  const directories =
    files.of === 'session'
      ? sql`select path from world_directories where session_id = ${files.id}`
      : sql`select path from snapshot_directories where snapshot_id = ${files.id}`;
  const { count } = await sql`
    with sessions as (
      select id from unnest(${[...ids]}::text[]) as s(id)
    ), directories as (
      insert into world_directories (session_id, path)
      select s.id, d.path from sessions s cross join (${directories}) as d
    )
    insert into world_files (session_id, path, size, sha256, executable, mode, target)
    select s.id, f.path, f.size, f.sha256, f.executable, f.mode, f.target from sessions s cross join (${source}) as f`;
  if (files.of === 'snapshot' && count !== files.count * ids.length) {
    throw new Problem('snapshot-refused', { detail: `snapshot ${files.id} is being deleted` });
  }
}
