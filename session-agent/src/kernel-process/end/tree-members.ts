import type { ProcessTree } from '../kernel-process.ts';
import type { ProcessEntry } from './list-processes.ts';

/** Between two rounds of a sweep. */
export const roundMs = 4;
export const roundsMax = 500;
/** After this many rounds the root is killed too, even if something below it cannot be killed. */
const rootRoundsMax = 50;

/** Which processes belong to the tree: by group, by session, by descent or by marker. `hasMarker` is asked about as few as possible. */
export function membersOf(
  tree: ProcessTree,
  all: readonly ProcessEntry[],
  hasMarker: (pid: number) => boolean,
): number[] {
  // A process that is older than the root cannot be its descendant, so its environment need not be read.
  const young = all.filter(({ pid, startedAt }) =>
    pid === tree.pid ? startedAt === tree.startedAt : startedAt >= tree.startedAt && pid !== process.pid,
  );
  const pids = new Set<number>([tree.pid]);
  for (const { pid, group, session } of young) if (group === tree.pid || session === tree.pid) pids.add(pid);
  for (const { pid } of young) if (!pids.has(pid) && hasMarker(pid)) pids.add(pid);
  for (let before = 0; before !== pids.size; ) {
    before = pids.size;
    for (const { pid, parent } of young) if (pids.has(parent)) pids.add(pid);
  }
  return young.map(({ pid }) => pid).filter((pid) => pids.has(pid));
}

/** While the root of a tree is stopped, it starts nothing more. `root` is the process that has its pid now. */
export function stopRoot(tree: ProcessTree, root: ProcessEntry | null): void {
  if (root?.startedAt === tree.startedAt) signal(tree.pid, 'SIGSTOP');
}

export function killMembers(tree: ProcessTree, members: readonly number[], round: number): void {
  const others = members.filter((pid) => pid !== tree.pid);
  const takesRoot = others.length === 0 || round >= rootRoundsMax;
  for (const pid of takesRoot ? members : others) signal(pid, 'SIGKILL');
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended, or it belongs to another user and is not ours to end.
  }
}
