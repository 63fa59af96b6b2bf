import type { SessionRow } from '../../registry/schema/sessions.ts';
import { claimWarmSandbox } from '../../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { awaitEarlierEnd, mayStillRun } from '../await-earlier-end.ts';
import { chooseWarmPool } from '../start/choose-warm-pool.ts';
import { type StartDependencies, startSandbox } from '../start-sandbox.ts';

export type ResumeDependencies = StartDependencies & { warmSeconds: number };

/**
 * Gives a session that has just become `recovering` its next sandbox, with its files and the state of its contexts.
 * @throws Problem as `startSandbox` does
 */
export async function resumeSession(deps: ResumeDependencies, session: SessionRow): Promise<SessionRow> {
  const { db, seal, runtime } = deps;
  const { id: sessionId, epoch, env, status, lostReason } = session;
  if (status === 'recovering' && mayStillRun(lostReason))
    await awaitEarlierEnd(deps, { id: sessionId, epoch: epoch - 1 });
  const warm = chooseWarmPool(runtime.capabilities, session, deps);
  const claimed = warm ? await claimWarmSandbox(db, { sessionId, epoch, ...warm }) : null;
  return await startSandbox(deps, { session, env: env ? JSON.parse(await seal.open(env)) : {}, files: [], claimed });
}
