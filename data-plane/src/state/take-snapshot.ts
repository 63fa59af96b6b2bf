import { type Language, newId } from '@holdfast/specs/public';
import type { AgentTarget } from '../agent/agent-client.ts';
import type { NewAuditEntry } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { releaseContent } from '../registry/contents/release-content.ts';
import type { SessionSnapshotRow } from '../registry/schema/snapshots.ts';
import { recordSnapshot as record } from '../registry/snapshots/record-snapshot.ts';
import type { StorageLimits } from '../registry/tenants/read-room.ts';
import type { CapturedFiles } from './capture-with-files.ts';
import { isStateGone, type PullDependencies, type PulledArchive, pullArchive } from './pull-archive.ts';

export type SnapshotDependencies = PullDependencies & { db: Database; limits: StorageLimits };

type Context = { route: AgentTarget; contextId: string; language: Language };

/**
 * Saves the state of an idle context outside its sandbox, for a recovery; as `base`, as the state with which the context begins.
 * @returns null if there is nothing to save, the state was lost with its kernel, or the session is not live in this epoch any more
 * @throws AgentError, with the slug `context-busy` while a step runs or waits; Problem 507
 */
export async function takeSnapshot(
  deps: SnapshotDependencies,
  { signal, origin = 'auto', ...context }: Context & { signal: AbortSignal; origin?: 'auto' | 'base' },
): Promise<SessionSnapshotRow | null> {
  const archive = await pullArchive(deps, { ...context, signal }).catch((error) => {
    // The snapshot of before stays, and with the steps after it the next recovery says what is lost.
    if (isStateGone(error)) return null;
    throw error;
  });
  if (!archive) return null;
  const recorded = await recordSnapshot(deps, { ...context, archive, origin, files: null });
  return recorded === 'files-changed' ? null : recorded;
}

type Recording = Context & {
  archive: PulledArchive;
  origin: 'request' | 'auto' | 'base';
  /** The files that belong to the state. */
  files: CapturedFiles | null;
  /** For the audit log, if a client asked for the snapshot. */
  entry?: NewAuditEntry;
};

/**
 * Records a state that was stored.
 * @returns null if the session is not live in this epoch any more
 * @throws Problem 507
 */
export async function recordSnapshot(
  { db, limits }: Pick<SnapshotDependencies, 'db' | 'limits'>,
  { route, contextId, language, archive, origin, files, entry }: Recording,
): Promise<SessionSnapshotRow | 'files-changed' | null> {
  const { content, manifest, contextEpoch, executionCount, silentCount } = archive;
  const { sessionId, epoch } = route;
  const counts = { epoch, contextEpoch, executionCount, silentCount };
  const saved = files && { count: files.count, bytes: files.bytes, notSaved: files.notSaved };
  const state = { contextId, language, origin, ...content, manifest, ...counts, files: saved };
  const snapshot = { id: newId('snp'), sessionId, ...state };
  const inserted = await record(db, { snapshot, worldVersion: files?.version ?? null, limits, entry });
  if (inserted === null || inserted === 'files-changed') return inserted;
  const { createdAt, replaced } = inserted;
  for (const { sha256, createdAt } of replaced) {
    if (sha256 !== content.sha256) await releaseContent(db, { sha256, unlessTouchedSince: createdAt });
  }
  const none = { tenant: null, name: null, keptBytes: 0 };
  return { ...snapshot, ...none, sha256: Buffer.from(content.sha256, 'hex'), createdAt };
}
