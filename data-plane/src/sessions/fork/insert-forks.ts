import { type CreateSession, type Fork, type LastRecovery, Problem, type Unsaved } from '@holdfast/specs/public';
import { askedBy } from '../../policy/audit/asked-by.ts';
import { budgetOfFork } from '../../policy/budgets/first-budget.ts';
import { findContext } from '../../registry/contexts/find-context.ts';
import { isBudgetGone } from '../../registry/database-error.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import type { InsertedSession } from '../../registry/sessions/insert-session.ts';
import type { FirstStates } from '../../registry/sessions/insert-with-state.ts';
import { beginningOf } from '../../state/beginning-of.ts';
import { captureWithFiles } from '../../state/capture-with-files.ts';
import { usableSnapshot } from '../../state/usable-snapshot.ts';
import { type ExplainDependencies, explainFailedCall } from '../agent-problem.ts';
import type { Caller } from '../caller.ts';
import { chooseTerms } from '../create/choose-terms.ts';
import { type InsertStateDependencies, insertWithState } from '../create/insert-from-snapshot.ts';
import { newSession } from '../create/new-session.ts';
import { existingSession } from '../existing-session.ts';
import type { Route, Routes } from '../sandbox-routes.ts';
import { type CaptureDependencies, captureContexts, resealed } from './capture-contexts.ts';

export type InsertForksDependencies = InsertStateDependencies &
  CaptureDependencies &
  ExplainDependencies & {
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    /** Saves the files of a sandbox, and returns those that cannot be saved. */
    saveFiles(input: { route: Route; signal: AbortSignal }): Promise<Unsaved[]>;
  };

type Forking = { ids: readonly string[]; caller: Caller; sessionId: string; request: Fork };

const captureMsMax = 120_000;

/**
 * Inserts the forks of a session, all or none, with the state of its contexts and its files, as they are now or as a snapshot has them.
 * @throws Problem 403 if the key may not give them a budget of their own; 404; 409 while a step runs; 410; 422 if the snapshot is not of the session; 429, 502, 503, 507
 */
export async function insertForks(
  deps: InsertForksDependencies,
  { ids, caller, sessionId, request }: Forking,
): Promise<InsertedSession[]> {
  const { tenant } = caller;
  const session = await existingSession(deps.db, { id: sessionId, tenant });
  const settings = await settingsOf(deps, { session, request });
  const terms = chooseTerms(deps.runtime, { policy: session.policy, request: settings });
  const insertOnce = async (first: FirstStates, lastRecovery: LastRecovery, of: SessionRow) => {
    const { budget } = request;
    const change = askedBy(caller, 'session.fork', { forkOf: sessionId });
    const wanted = { tenant, request: settings, terms, lastRecovery, change };
    const sessions = await Promise.all(
      ids.map((id) =>
        newSession(deps, { id, ...wanted, budget: budgetOfFork(deps.defaults, { caller, budget, session: of }) }),
      ),
    );
    return await insertWithState(deps, { sessions, first });
  };
  const insert = (first: FirstStates, lastRecovery: LastRecovery) =>
    insertOnce(first, lastRecovery, session).catch(async (error) => {
      if (!isBudgetGone(error)) throw error;
      // The session has left its budget since it was read, or was deleted with it.
      return await insertOnce(first, lastRecovery, await existingSession(deps.db, { id: sessionId, tenant }));
    });
  if (request.snapshotId) {
    const { first, beginning } = await fromSnapshot(deps, { session, snapshotId: request.snapshotId });
    return await insert(first, beginning);
  }
  const key = { sessionId, tenant };
  const route = await deps.routes.resolve(key);
  const signal = AbortSignal.timeout(captureMsMax);
  return await captureWithFiles(deps, {
    sessionId,
    capture: () => captureContexts(deps, { route, signal }),
    saveFiles: () => deps.saveFiles({ route, signal }),
    async record({ contexts, states, unsaved }, files) {
      const source = { of: 'session', id: sessionId, version: files.version } as const;
      const inserted = await insert({ contexts, states, files: source }, beginningOf({ unsaved, files }));
      return inserted.length > 0 ? inserted : 'files-changed';
    },
  }).catch(async (error) => {
    throw await explainFailedCall(deps, { key, error });
  });
}

type Source = { session: SessionRow; request: Fork };

/** A fork has the settings of its session. */
async function settingsOf(
  { seal }: Pick<InsertForksDependencies, 'seal'>,
  { session, request }: Source,
): Promise<CreateSession> {
  // The terms have its policy.
  const { language, timeoutSeconds, idleTimeoutSeconds, network, profile, recovery, onIdle } = session;
  return {
    language,
    metadata: request.metadata ?? session.metadata,
    env: session.env ? JSON.parse(await seal.open(session.env)) : {},
    timeoutSeconds,
    idleTimeoutSeconds,
    network,
    profile,
    recovery,
    onIdle,
  };
}

/** The context of the snapshot begins with its state; if it was deleted, the default context of its language does. */
async function fromSnapshot(
  deps: InsertForksDependencies,
  { session, snapshotId }: { session: SessionRow; snapshotId: string },
): Promise<{ first: FirstStates; beginning: LastRecovery }> {
  const snapshot = await usableSnapshot(deps, { ref: snapshotId, tenant: session.tenant });
  const { sessionId, language, size, files, sha256 } = snapshot;
  if (sessionId !== session.id) {
    throw new Problem('snapshot-refused', { detail: `snapshot ${snapshotId} is not of session ${session.id}` });
  }
  const row = await findContext(deps.db, { sessionId, contextId: snapshot.contextId });
  const context = row && !row.deletedAt ? await resealed(deps.seal, row) : null;
  const contextId = context?.id ?? language;
  const first: FirstStates = {
    contexts: context ? [context] : [],
    states: [{ contextId, language, sha256: sha256.toString('hex'), size }],
    files: files && { of: 'snapshot', id: snapshot.id, count: files.count },
  };
  return { first, beginning: beginningOf({ unsaved: [], files }) };
}
