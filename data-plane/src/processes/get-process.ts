import { setTimeout as delay } from 'node:timers/promises';
import type { Process } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { findProcess } from '../registry/processes/find-process.ts';
import type { ProcessRow } from '../registry/schema/processes.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { currentOutput } from './current-output.ts';
import { type FindDependencies, findKnownProcess, type ProcessKey } from './find-known-process.ts';
import { processView } from './process-view.ts';

export type GetDependencies = FindDependencies & {
  agents: Pick<AgentClient, 'call' | 'pull'>;
  routes: Pick<Routes, 'resolve'>;
};

type GetInput = ProcessKey & {
  /** Waits so long for its end. */
  waitSeconds?: number | undefined;
  /** The client has left. */
  signal?: AbortSignal | undefined;
};

/**
 * A process as it is now, or once it has ended within the time.
 * @throws Problem 404, 410 (deleted session)
 */
export async function getProcess(
  deps: GetDependencies,
  { waitSeconds = 0, signal, ...key }: GetInput,
): Promise<Process> {
  const row = await findKnownProcess(deps, key);
  return await showProcess(deps, await untilEnded(deps, row, { ms: waitSeconds * 1000, signal }), key);
}

type Wait = { ms: number; signal?: AbortSignal | undefined };

const pollMs = 100;
const pollMsMax = 500;

/** The process once it has ended, or as it is when the time is over. One that another replica follows is asked for again and again. */
export async function untilEnded(deps: FindDependencies, row: ProcessRow, { ms, signal }: Wait): Promise<ProcessRow> {
  if (row.finishedAt || ms <= 0) return row;
  const live = deps.liveProcesses.get(row.id);
  const untilMs = performance.now() + ms;
  if (live) {
    const over = new AbortController();
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const late = delay(ms, live.row, { signal: either }).catch(() => live.row);
    const ended = await Promise.race([live.ended.then((end) => end ?? live.row), late]).catch(() => null);
    over.abort();
    if (ended) return ended.finishedAt ? ended : live.row;
  }
  let found = row;
  for (let waitMs = pollMs; !found.finishedAt && !signal?.aborted; waitMs = Math.min(waitMs * 1.5, pollMsMax)) {
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(waitMs, leftMs), undefined, { signal }).catch(() => {});
    const { sessionId, id: processId } = row;
    const next = await findProcess(deps.db, { sessionId, processId });
    if (!next) break;
    found = next;
  }
  return found;
}

/** The public process; of one that still runs, with the output so far, unless its sandbox does not answer. */
export async function showProcess(
  { agents, routes }: Pick<GetDependencies, 'agents' | 'routes'>,
  row: ProcessRow,
  { caller }: Pick<ProcessKey, 'caller'>,
): Promise<Process> {
  if (row.finishedAt) return processView(row);
  try {
    const route = await routes.resolve({ sessionId: row.sessionId, tenant: caller.tenant });
    return processView(row, await currentOutput({ agents }, { route, processId: row.id }));
  } catch {
    return processView(row);
  }
}
