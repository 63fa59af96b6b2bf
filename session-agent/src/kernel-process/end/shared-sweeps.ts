import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { ProcessTree } from '../kernel-process.ts';
import { listInTurns, type ProcessEntry, readProcess, variablesOf } from './list-processes.ts';
import { sweepTree } from './sweep-tree.ts';
import { killMembers, membersOf, roundMs, roundsMax, stopRoot } from './tree-members.ts';

type Sweep = { round: number; swept: PromiseWithResolvers<void> };

/** Trees after which other work of the agent gets its turn. */
const treesInTurn = 16;

/**
 * Returns a function that ends trees of processes as `sweepTree` does. All that are swept at a time share one look at the system's processes in each
 * round, and the agent goes on meanwhile: hundreds of processes may have to end at once. `list` is for tests.
 */
export function createSharedSweeps({ list = listInTurns } = {}): (tree: ProcessTree) => Promise<void> {
  const sweeps = new Map<ProcessTree, Sweep>();
  let isSweeping = false;

  const sweepAll = async () => {
    while (sweeps.size > 0) {
      // A tree that comes during the look may have begun behind it.
      const looked = [...sweeps];
      const all = await list();
      const marked = createMarkerReader(all);
      for (const [at, [tree, sweep]] of looked.entries()) {
        if (at % treesInTurn === treesInTurn - 1) await turn();
        const members = membersOf(tree, all, (pid) => marked(pid).includes(tree.marker));
        if (members.length > 0) killMembers(tree, members, sweep.round++);
        if (members.length > 0 && sweep.round < roundsMax) continue;
        sweeps.delete(tree);
        sweep.swept.resolve();
      }
      if (sweeps.size > 0) await wait(roundMs);
    }
    isSweeping = false;
  };

  /** Without a list, each tree can only be swept by its group. */
  const sweepSingly = () => {
    for (const [tree, { swept }] of sweeps) void sweepTree(tree).then(swept.resolve);
    sweeps.clear();
    isSweeping = false;
  };

  return async (tree) => {
    const { swept } = sweeps.get(tree) ?? { swept: Promise.withResolvers<void>() };
    if (!sweeps.has(tree)) {
      stopRoot(tree, readProcess(tree.pid));
      sweeps.set(tree, { round: 0, swept });
    }
    if (!isSweeping) {
      isSweeping = true;
      void sweepAll().catch(sweepSingly);
    }
    await swept.promise;
  };
}

/** Reads the environment of each process once. */
function createMarkerReader(all: readonly ProcessEntry[]): (pid: number) => readonly string[] {
  const read = new Map<number, readonly string[]>();
  const known = new Set(all.map(({ pid }) => pid));
  return (pid) => {
    const variables = read.get(pid) ?? (known.has(pid) ? variablesOf(pid).filter(isMarker) : []);
    read.set(pid, variables);
    return variables;
  };
}

const isMarker = (variable: string) => variable.startsWith('HOLDFAST_KERNEL=');
