import { Problem, type Session } from '@holdfast/specs/public';
import { askedBy } from '../../policy/audit/asked-by.ts';
import { recordRecovery } from '../../registry/sessions/record-recovery.ts';
import { type ReplayDependencies, replayContexts } from '../../state/replay-contexts.ts';
import { type ExplainDependencies, explainFailedCall } from '../agent-problem.ts';
import type { Caller } from '../caller.ts';
import { changedJustNow, existingSession, refuseUnlessActive } from '../existing-session.ts';
import { type LoseDependencies, startRecovery } from '../lose-sandbox.ts';
import { type ReserveDependencies, reserveContextEpoch } from '../reserve-context-epoch.ts';
import { sessionView } from '../session-view.ts';

export type RecoverDependencies = LoseDependencies & ReplayDependencies & ExplainDependencies & ReserveDependencies;

type RecoverInput = { caller: Caller; id: string; strategy: 'snapshot' | 'replay' };

const replayMsMax = 60_000;

/**
 * Gives a session that is `lost` another sandbox, and resolves when it is active. An active session is answered as it is.
 * @throws Problem 404; 410 if the session has ended; 503 while it is starting, or if the recovery fails
 */
export async function recoverSession(deps: RecoverDependencies, input: RecoverInput): Promise<Session> {
  const recovered = await recoverIfLost(deps, input);
  return input.strategy === 'replay' ? await replay(deps, input) : recovered;
}

/** @throws Problem also 409 while a context runs a step */
async function replay(deps: RecoverDependencies, { caller, id }: RecoverInput): Promise<Session> {
  const key = { sessionId: id, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const reserve = (contextEpoch: number) => reserveContextEpoch(deps, { route, contextEpoch });
  const signal = AbortSignal.timeout(replayMsMax);
  const lastRecovery = await replayContexts(deps, { route, signal, reserve }).catch(async (error) => {
    throw await explainFailedCall(deps, { key, error });
  });
  if (!lastRecovery) throw new Problem('snapshot-refused', { detail: 'the history is too long, or a part was purged' });
  const session = await recordRecovery(deps.db, { id, lastRecovery });
  return await sessionView(deps.db, session ?? (await existingSession(deps.db, { id, tenant: caller.tenant })));
}

async function recoverIfLost(deps: LoseDependencies, { caller, id }: RecoverInput): Promise<Session> {
  const session = await existingSession(deps.db, { id, tenant: caller.tenant });
  if (session.status !== 'lost') {
    refuseUnlessActive(session);
    return await sessionView(deps.db, session);
  }
  const { epoch, lostReason } = session;
  const recovering = await startRecovery(deps, {
    id,
    epoch,
    lostReason,
    from: 'lost',
    isAutomatic: false,
    change: askedBy(caller, 'session.recover'),
  });
  if (!recovering) throw changedJustNow(id);
  return await sessionView(deps.db, await deps.resume(recovering));
}
