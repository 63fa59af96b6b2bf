import { setTimeout as wait } from 'node:timers/promises';
import type { ProcessTree } from '../kernel-process.ts';
import { hasVariable, listProcesses, type ProcessEntry, readProcess } from './list-processes.ts';

const roundMs = 4;
const roundsMax = 500;
/** After this many rounds the root is killed too, even if something below it cannot be killed. */
const rootRoundsMax = 50;

/**
 * Sends SIGKILL to the whole tree until nothing of it is left (for about two seconds at most). The root is stopped first and killed
 * last: while it lives, it adopts the orphans of the tree, so they cannot escape. Never rejects.
 */
export async function sweepTree(tree: ProcessTree): Promise<void> {
  if (readProcess(tree.pid)?.startedAt === tree.startedAt) signal(tree.pid, 'SIGSTOP');
  for (let round = 0; round < roundsMax; round++) {
    const members = membersNow(tree);
    if (members.length === 0) return;
    const others = members.filter((pid) => pid !== tree.pid);
    const takesRoot = others.length === 0 || round >= rootRoundsMax;
    for (const pid of takesRoot ? members : others) signal(pid, 'SIGKILL');
    await wait(roundMs);
  }
}

/** The tree's processes. If processes cannot be listed, the root's group, which needs no list. */
function membersNow(tree: ProcessTree): number[] {
  try {
    return membersOf(tree, listProcesses());
  } catch {
    return isAlive(-tree.pid) ? [-tree.pid] : [];
  }
}

/** Which processes belong to the tree: by group, by session, by descent or by marker. */
function membersOf(tree: ProcessTree, all: ProcessEntry[]): number[] {
  // A process that is older than the root cannot be its descendant, so its environment need not be read.
  const young = all.filter(({ pid, startedAt }) =>
    pid === tree.pid ? startedAt === tree.startedAt : startedAt >= tree.startedAt && pid !== process.pid,
  );
  const pids = new Set<number>([tree.pid]);
  for (const { pid, group, session } of young) if (group === tree.pid || session === tree.pid) pids.add(pid);
  for (const { pid } of young) if (!pids.has(pid) && hasVariable(pid, tree.marker)) pids.add(pid);
  for (let before = 0; before !== pids.size; ) {
    before = pids.size;
    for (const { pid, parent } of young) if (pids.has(parent)) pids.add(pid);
  }
  return young.map(({ pid }) => pid).filter((pid) => pids.has(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended, or it belongs to another user and is not ours to end.
  }
}
