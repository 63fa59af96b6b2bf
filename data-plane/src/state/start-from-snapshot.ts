import { newId } from '@holdfast/specs/public';
import type { AgentTarget } from '../agent/agent-client.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import type { SnapshotRow } from '../registry/schema/snapshots.ts';
import { insertSnapshot } from '../registry/snapshots/insert-snapshot.ts';
import { type LoadDependencies, loadContext } from './load-context.ts';

type Starting = { session: SessionRow; route: AgentTarget; snapshot: SnapshotRow; signal: AbortSignal };

/**
 * Gives the default context of a new session the state of a snapshot, from which its own recoveries start as well.
 * @throws AgentError
 */
export async function startFromSnapshot(
  deps: LoadDependencies,
  { session, route, snapshot, signal }: Starting,
): Promise<void> {
  const { language, size, manifest } = snapshot;
  const sha256 = snapshot.sha256?.toString('hex') ?? null;
  const state = { contextId: language, language, settings: { env: {} }, sha256, steps: [], isAllKnown: true };
  const { contextEpoch } = await loadContext(deps, { route, state, signal });
  const { id: sessionId, epoch } = session;
  const base = { sessionId, contextId: language, language, origin: 'base', sha256, size, manifest } as const;
  await insertSnapshot(deps.db, { id: newId('snp'), ...base, epoch, contextEpoch, executionCount: 0 });
}
