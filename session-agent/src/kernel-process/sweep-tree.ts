import { setTimeout as wait } from 'node:timers/promises';
import { hasVariable, listProcesses, type ProcessEntry, readProcess } from './list-processes.ts';

const roundMs = 4;
const roundsMax = 500;
/** For so long the root outlives what cannot be killed below it. */
const rootRoundsMax = 50;

/** The root of a tree of processes. Descendants that left its group and session carry `marker` in their environment. */
export type Tree = { pid: number; startedAt: number; marker: string };

/**
 * Sends SIGKILL to the whole tree, its root included where it lives, until nothing of it is left (at most about two seconds).
 * The root goes last: while it lives, stopped, it adopts the orphans of the tree, which so cannot hide. Never rejects.
 */
export async function sweepTree(tree: Tree): Promise<void> {
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

/** The tree's processes; where the system's cannot be listed, its root and group, which need no list. */
function membersNow(tree: Tree): number[] {
  try {
    return membersOf(tree, listProcesses());
  } catch {
    return isAlive(-tree.pid) ? [-tree.pid] : [];
  }
}

/** Which processes belong to the tree: by group, by session, by descent or by marker. */
function membersOf(tree: Tree, all: ProcessEntry[]): number[] {
  // Whoever is older than the root is none of its children, and its environment need not be read.
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
    // It has ended by itself, or it belongs to somebody else and is not ours to end.
  }
}
