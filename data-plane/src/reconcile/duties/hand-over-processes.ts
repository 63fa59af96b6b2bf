import type { Logger } from '../../observability/logger.ts';
import { type FollowDependencies, followProcessEnd } from '../../processes/ending/follow-process-end.ts';
import { LiveProcess } from '../../processes/ending/live-process.ts';
import { lostProcess } from '../../processes/ending/process-end.ts';
import { recordProcessEnd } from '../../processes/ending/record-process-end.ts';
import { reassignProcesses } from '../../registry/processes/reassign-processes.ts';
import { replicaStaleSeconds } from '../../registry/replicas/beat-replica.ts';
import type { ProcessRow } from '../../registry/schema/processes.ts';
import type { Routes } from '../../sessions/sandbox-routes.ts';

export type ProcessHandOverDependencies = FollowDependencies & {
  log: Pick<Logger, 'error' | 'warn'>;
  routes: Pick<Routes, 'find'>;
  liveProcesses: Map<string, LiveProcess>;
  isDraining(): boolean;
};

const batch = 100;

/** Continues the processes of replicas that are gone: asks each one's agent for its end, by the process's id. */
export async function handOverProcesses(deps: ProcessHandOverDependencies): Promise<void> {
  while (!deps.isDraining()) {
    const handedOver = await reassignProcesses(deps.db, {
      replicaId: deps.replicaId,
      following: [...deps.liveProcesses.keys()],
      staleSeconds: replicaStaleSeconds,
      limit: batch,
    });
    // The statement may have waited for long, so one that this replica follows by now may be among them.
    for (const row of handedOver) if (!deps.liveProcesses.has(row.id)) void follow(deps, row);
    if (handedOver.length < batch) return;
  }
}

/** Never rejects. */
async function follow(deps: ProcessHandOverDependencies, row: ProcessRow): Promise<void> {
  const live = new LiveProcess(row);
  deps.liveProcesses.set(row.id, live);
  try {
    const route = await deps.routes.find(row.sessionId);
    // Both times are the database's.
    const ranMs = row.assignedAt.getTime() - row.startedAt.getTime();
    if (route?.epoch === row.epoch) return await followProcessEnd(deps, { live, route, send: null, ranMs });
    const end = lostProcess('sandbox_lost');
    const recorded = await recordProcessEnd(deps, {
      row,
      replicaId: deps.replicaId,
      end,
      seenAtMs: performance.now(),
    });
    if (recorded !== 'unfinished') live.end(recorded);
  } catch (error) {
    if (!deps.stopping.aborted)
      deps.log.error({ processId: row.id, err: error }, 'a process that was handed over could not be followed');
    live.fail(error);
  } finally {
    deps.liveProcesses.delete(row.id);
  }
}
