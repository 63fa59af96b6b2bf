import { setTimeout as wait } from 'node:timers/promises';
import { hasVariable, listProcesses, type ProcessEntry } from './list-processes.ts';

const roundMs = 4;
const roundsMax = 500;

/** The root of a tree of processes. Descendants that left its group and session carry `marker` in their environment. */
export type Tree = { pid: number; startedAt: number; marker: string };

/** Sends SIGKILL to the whole tree, its root included where it lives, until nothing of it is left (at most about two seconds). */
export async function sweepTree(tree: Tree): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    const members = membersOf(tree, listProcesses());
    if (members.length === 0) return;
    for (const { pid } of members) kill(pid);
    await wait(roundMs);
  }
}

/** Which processes belong to the tree: by group, by session, by descent or by marker. */
function membersOf(tree: Tree, all: ProcessEntry[]): ProcessEntry[] {
  // Whoever is older than the root is none of its children, and its environment need not be read.
  const young = all.filter((entry) => entry.startedAt >= tree.startedAt && entry.pid !== process.pid);
  const pids = new Set<number>([tree.pid]);
  for (const { pid, group, session } of young) if (group === tree.pid || session === tree.pid) pids.add(pid);
  for (const { pid } of young) if (!pids.has(pid) && hasVariable(pid, tree.marker)) pids.add(pid);
  for (let before = 0; before !== pids.size; ) {
    before = pids.size;
    for (const { pid, parent } of young) if (pids.has(parent)) pids.add(pid);
  }
  return young.filter(({ pid }) => pids.has(pid));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself, or it belongs to somebody else and is not ours to end.
  }
}
