import type { CreateSession } from '@holdfast/specs/public';
import type { Change } from '../../registry/audit/changed-by.ts';
import type { Database } from '../../registry/connect.ts';
import type { InsertedSession, NewSession } from '../../registry/sessions/insert-session.ts';
import type { FirstStates } from '../../registry/sessions/insert-with-state.ts';
import { insertWithState as insert } from '../../registry/sessions/insert-with-state.ts';
import type { StorageLimits } from '../../registry/tenants/read-room.ts';
import { beginningOf } from '../../state/beginning-of.ts';
import { usableSnapshot } from '../../state/usable-snapshot.ts';
import type { Terms } from './choose-terms.ts';
import { type NewSessionDependencies, newSession, quotaReached } from './new-session.ts';

export type InsertStateDependencies = NewSessionDependencies & {
  db: Database;
  limits: StorageLimits;
  onClaim(result: 'warm' | 'cold'): void;
};

type Inserting = {
  id: string;
  tenant: string;
  request: CreateSession;
  terms: Terms;
  fromSnapshot: string;
  change: Change;
  budget: NewSession['budget'];
};

/**
 * Inserts a session whose default context begins with the state of a snapshot, and its workspace with the files of it.
 * @throws Problem 422 if there is no such snapshot of the language, 429, 507
 */
export async function insertFromSnapshot(
  deps: InsertStateDependencies,
  { fromSnapshot: ref, ...wanted }: Inserting,
): Promise<InsertedSession> {
  const { language } = wanted.request;
  const snapshot = await usableSnapshot(deps, { ref, tenant: wanted.tenant, language });
  const { id, size, files } = snapshot;
  const first: FirstStates = {
    contexts: [],
    states: [{ contextId: language, language, sha256: snapshot.sha256.toString('hex'), size }],
    files: files && { of: 'snapshot', id, count: files.count },
  };
  const session = await newSession(deps, { ...wanted, lastRecovery: beginningOf({ unsaved: [], files }) });
  const [inserted] = await insertWithState(deps, { sessions: [session], first });
  if (!inserted) throw new Error('the files of a snapshot have changed');
  return inserted;
}

type Insertion = Omit<Parameters<typeof insert>[1], 'limits'>;

/**
 * Inserts sessions with the states and the files with which they begin, all or none.
 * @returns none if the files have changed
 * @throws Problem 429, 507
 */
export async function insertWithState(deps: InsertStateDependencies, insertion: Insertion): Promise<InsertedSession[]> {
  const inserted = await insert(deps.db, { ...insertion, limits: deps.limits });
  if (inserted === 'quota-reached') throw quotaReached(deps.defaults);
  if (inserted === 'files-changed') return [];
  for (const [index, { claimed }] of inserted.entries()) {
    if (insertion.sessions[index]?.warm) deps.onClaim(claimed ? 'warm' : 'cold');
  }
  return inserted;
}
