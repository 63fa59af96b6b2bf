import type { Contents } from '../../contents/contents.ts';
import type { Queries } from '../../registry/queries.ts';
import { beatReplica } from '../../registry/replicas/beat-replica.ts';
import { registerReplica } from '../../registry/replicas/register-replica.ts';
import { startDuty } from '../../registry/replicas/start-duty.ts';
import { applyRetention, type HistoryLimits } from '../../sessions/retention.ts';
import type { AutoSnapshots } from '../../state/auto-snapshots.ts';
import { startAwakeClock } from '../../timing/awake-clock.ts';
import { runPeriodically } from '../../timing/run-periodically.ts';
import type { Worlds } from '../../world/create-worlds.ts';
import type { ReconcileDependencies } from '../reconcile.ts';
import { createSilences } from '../silences.ts';
import type { WarmPools } from '../warm-pool/warm-pools.ts';
import { dropConnections } from './drop-connections.ts';
import { handOverProcesses, type ProcessHandOverDependencies } from './hand-over-processes.ts';
import { type HandOverDependencies, handOverSteps } from './hand-over-steps.ts';
import { noteUnsavedContexts } from './note-unsaved-contexts.ts';
import { type ProbeDependencies, probeMs, probeSilentAgents } from './probe-silent-agents.ts';
import { reconcileDueSessions } from './reconcile-due-sessions.ts';
import { renewLeases, type Unreachable } from './renew-leases.ts';
import { resync } from './resync.ts';
import { settleWorlds } from './settle-worlds.ts';

export type DutyDependencies = ReconcileDependencies &
  ProbeDependencies &
  HandOverDependencies &
  ProcessHandOverDependencies & {
    hint(sessionId: string): void;
    /** Nothing else waits for it or makes it wait. */
    heartbeatDb: Queries;
    warmPools: Pick<WarmPools, 'maintain'>;
    openRequests: { endRevoked(): Promise<void> };
    /** See registry/replicas/register-replica.ts. */
    slot: string;
    contents: Pick<Contents, 'collect'>;
    worlds: Worlds;
    autoSnapshots: Pick<AutoSnapshots, 'note'>;
    deliveries: { deliverDue(): Promise<void> };
    history: HistoryLimits;
  };

const dutyDeadlineMs = 60_000;

/** Runs the periodic duties of a replica. A duty that is for one replica at a time is taken by a row in the database. */
export async function runDuties(deps: DutyDependencies, signal: AbortSignal): Promise<void> {
  const { db, log } = deps;
  const tick = (name: string, everySeconds: number, run: () => Promise<unknown>) => async () => {
    if (await startDuty(db, { name, everySeconds })) await run();
  };
  const leaseShareSeconds = deps.leaseSeconds / 4;
  const unreachable: Unreachable = new Map();
  const probeEveryMs = probeMs(deps.silenceSeconds);
  const silences = createSilences({
    lastsMs: deps.silenceSeconds * 1000,
    gapMsMax: probeEveryMs * 6,
    ...startAwakeClock(signal),
  });
  const duties = {
    heartbeat: { everyMs: 2000, run: () => heartbeat(deps) },
    'due sessions': { everyMs: 1000, run: () => reconcileDueSessions(deps) },
    'stale steps': { everyMs: 2000, run: () => handOverSteps(deps) },
    'stale processes': { everyMs: 2000, run: () => handOverProcesses(deps) },
    resync: { everyMs: 5000, run: tick('resync', 20, () => resync(deps)) },
    leases: {
      everyMs: leaseShareSeconds * 500,
      run: tick('keep-alive', leaseShareSeconds, () => renewLeases(deps, unreachable)),
    },
    'silent agents': { everyMs: probeEveryMs, run: () => probeSilentAgents(deps, silences) },
    'revoked keys': { everyMs: 2000, run: () => deps.openRequests.endRevoked() },
    webhooks: { everyMs: 1000, run: () => deps.deliveries.deliverDue() },
    'warm pools': { everyMs: 2000, run: () => deps.warmPools.maintain() },
    connections: { everyMs: 30_000, run: () => dropConnections(deps) },
    snapshots: { everyMs: 5000, run: tick('snapshots', 10, () => noteUnsavedContexts(deps)) },
    worlds: { everyMs: 5000, run: () => settleWorlds(deps) },
    contents: { everyMs: 30_000, run: tick('contents', 60, () => deps.contents.collect()) },
    purge: { everyMs: 30_000, run: tick('purge', 60, () => applyRetention(deps)) },
  };
  await Promise.all(
    Object.entries(duties).map(([duty, { everyMs, run }]) => {
      const onError = (error: unknown) => log.error({ duty, err: error }, 'a duty of the reconciler failed');
      return runPeriodically({ everyMs, deadlineMs: dutyDeadlineMs, run, onError }, signal);
    }),
  );
}

/** A replica that was silent for too long may have been removed and its steps handed over. It registers again under its own id. */
async function heartbeat({ heartbeatDb: db, log, replicaId, slot }: DutyDependencies): Promise<void> {
  if (await beatReplica(db, { id: replicaId })) return;
  log.warn({ replicaId }, 'this replica had been removed and registers again');
  await registerReplica(db, { id: replicaId, slot });
}
