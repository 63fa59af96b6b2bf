import { setTimeout as wait } from 'node:timers/promises';
import type { ProcessTree } from '../kernel-process.ts';
import { hasVariable, listProcesses, readProcess } from './list-processes.ts';
import { killMembers, membersOf, roundMs, roundsMax, stopRoot } from './tree-members.ts';

/**
 * Sends SIGKILL to the whole tree until nothing of it is left (for about two seconds at most). The root is stopped first and killed
 * last: while it lives, it adopts the orphans of the tree, so they cannot escape. Never rejects.
 */
export async function sweepTree(tree: ProcessTree): Promise<void> {
  stopRoot(tree, readProcess(tree.pid));
  for (let round = 0; round < roundsMax; round++) {
    const members = membersNow(tree);
    if (members.length === 0) return;
    killMembers(tree, members, round);
    await wait(roundMs);
  }
}

/** The tree's processes. If processes cannot be listed, the root's group, which needs no list. */
function membersNow(tree: ProcessTree): number[] {
  try {
    return membersOf(tree, listProcesses(), (pid) => hasVariable(pid, tree.marker));
  } catch {
    return isAlive(-tree.pid) ? [-tree.pid] : [];
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
