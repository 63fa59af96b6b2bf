import type { RecoveredContext } from '@holdfast/specs/agent';
import { type LastRecovery, languagesWithSnapshots, type RecoveryReport } from '@holdfast/specs/public';
import type { AgentTarget } from '../agent/agent-client.ts';
import type { Seal } from '../keys/seal.ts';
import { decideLanguage } from '../policy/rules/decide.ts';
import { listContexts } from '../registry/contexts/list-contexts.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { listLatestSnapshots } from '../registry/snapshots/list-latest-snapshots.ts';
import { listPastSteps, type PastStepRow } from '../registry/steps/list-past-steps.ts';
import { boundReport } from './bound-report.ts';
import { contextSettings } from './context-settings.ts';
import { isOfState, type LoadDependencies, loadContext, type StateToLoad } from './load-context.ts';

export type RestoreDependencies = LoadDependencies & { seal: Pick<Seal, 'open'> };

type Recovering = { session: SessionRow; route: AgentTarget; signal: AbortSignal };

/**
 * Gives a new sandbox the contexts of the session's earlier one, or of the session that it begins with: the latest snapshot of each, then what may run again of the steps after it.
 * The steps are read now, when the earlier sandbox is fenced: one that is not recorded as ended counts as lost.
 * @throws AgentError if a context cannot be recovered, for instance because its code ends the kernel. The last attempt of a recovery leaves out the
 * state of such a context
 */
export async function recoverContexts(
  deps: RestoreDependencies,
  { session, route, signal }: Recovering,
): Promise<LastRecovery> {
  const states = await statesOf(deps, session);
  const reports: LastRecovery['contexts'] = [];
  for (const state of states) {
    const { contextId, language } = state;
    const decision = decideLanguage(session.policy, language);
    if (!decision.allowed) {
      reports.push({ contextId, language, ...forbidden(decision.rule) });
      continue;
    }
    reports.push({ contextId, language, ...(await loadInAttempt(deps, { session, route, state, signal })) });
  }
  const report = { epoch: session.epoch, time: new Date().toISOString(), contexts: reports, omitted: 0 };
  // A session that begins with the state of another one was inserted with the report of what could not be taken from there.
  const begun = session.status === 'creating' ? session.lastRecovery : null;
  return boundReport(begun ? addBeginning(report, begun) : report);
}

/** The report of a context that the policy forbids: it does not come back. */
export const forbidden = (rule: string): RecoveryReport => ({
  restored: [],
  replayed: [],
  lost: [{ name: '*', reason: `the session's policy forbids the context by its rule ${rule}` }],
  stopped: null,
});

/** Attempts in a row of a recovery. */
export const attemptsMax = 3;

/**
 * Loads a context in one of these attempts. Its state must not cost the session all of them: from the second on, steps that may run again do not if
 * the state cannot be loaded with them, and in the last one the context begins with nothing. A paused session is paused again instead.
 */
async function loadInAttempt(
  deps: LoadDependencies,
  { session, state, ...loading }: Recovering & { state: StateToLoad },
): Promise<RecoveredContext> {
  const { status, recoveryAttempts: attempt } = session;
  const load = (loaded: Parameters<typeof loadContext>[1]['state']) => loadContext(deps, { ...loading, state: loaded });
  const steps = state.steps.map((step) => ({ ...step, replay: false }));
  const replays = state.steps.some(({ replay }) => replay);
  return await load(state)
    .catch((error) => {
      if (!isOfState(error) || attempt < 2 || !replays) throw error;
      return load({ ...state, steps });
    })
    .catch((error) => {
      if (!isOfState(error) || attempt < attemptsMax || status !== 'recovering') throw error;
      return load({ ...state, lostReason: `The state could not be loaded: ${error.message}`.slice(0, 512) });
    });
}

function addBeginning(report: LastRecovery, begun: LastRecovery): LastRecovery {
  const lostIn = (id: string) => begun.contexts.find(({ contextId }) => contextId === id)?.lost ?? [];
  const contexts = report.contexts.map((context) => ({
    ...context,
    lost: [...context.lost, ...lostIn(context.contextId)],
  }));
  const others = begun.contexts.filter(({ contextId: id }) => contexts.every(({ contextId }) => contextId !== id));
  return { ...report, contexts: [...contexts, ...others], ...(begun.files && { files: begun.files }) };
}

/** The state of each context of the session. A default context that never ran anything is left out. */
async function statesOf({ db, seal }: RestoreDependencies, session: SessionRow): Promise<StateToLoad[]> {
  const { id: sessionId } = session;
  const latest = await listLatestSnapshots(db, { sessionId });
  const past = await listPastSteps(db, { sessionId });
  const created = await listContexts(db, { sessionId });
  // Steps that were purged from a long history may have changed anything.
  const isAllKnown = past !== null && (session.purgedStepNumber === 0 || latest.length > 0);
  const ids = new Set(
    [
      ...created,
      ...latest.map(({ contextId: id }) => ({ id })),
      ...(past ?? []).map(({ contextId: id }) => ({ id })),
    ].map(({ id }) => id),
  );
  return await Promise.all(
    [...ids]
      .filter((id) => isDefault(id) || created.some((context) => context.id === id))
      .map(async (contextId) => {
        const snapshot = latest.find((one) => one.contextId === contextId);
        const after = (past ?? []).filter((step) => step.contextId === contextId);
        const row = created.find(({ id }) => id === contextId);
        const language = row?.language ?? snapshot?.language ?? after[0]?.language ?? contextId;
        const settings = await contextSettings(seal, row ?? null);
        const steps = session.recovery === 'auto' ? after : afterLastLoss(after);
        // The kernel of the latest steps had nothing of the snapshot.
        const sha256 = steps.length === after.length ? snapshot?.sha256?.toString('hex') : undefined;
        return { contextId, language, settings, sha256: sha256 ?? null, steps, isAllKnown };
      }),
  );
}

/** The steps since the last loss of a kernel that left its memory to no other one. Those before it made nothing that is still there. */
function afterLastLoss(steps: readonly PastStepRow[]): readonly PastStepRow[] {
  const last = steps.findLast(({ isAfterKernelLoss }) => isAfterKernelLoss);
  const first = steps.findIndex(
    ({ epoch, contextEpoch }) => epoch === last?.epoch && contextEpoch === last.contextEpoch,
  );
  return last && languagesWithSnapshots.has(last.language) ? steps.slice(first) : steps;
}

/** A default context has its language's name as its id. */
const isDefault = (contextId: string) => !contextId.startsWith('ctx_');
