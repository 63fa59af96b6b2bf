import { setImmediate as turn } from 'node:timers/promises';
import type { ProcessTree } from '../kernel-process.ts';
import { listInTurns, variablesOf } from './list-processes.ts';

/** Processes after which other work of the agent gets its turn. */
const inTurn = 64;

/**
 * Ends all processes that were started with one of these markers, with all that descend from them. For trees whose root may be gone, so that its
 * pid can be another one's by now. Never rejects.
 */
export async function sweepMarked(
  markers: ReadonlySet<string>,
  sweep: (tree: ProcessTree) => Promise<void>,
): Promise<void> {
  try {
    await Promise.all((await oldestMarked(markers)).map(sweep));
  } catch {
    // Without a list, no marker can be found.
  }
}

/** The oldest process of each marker: a sweep of it finds the others, which are younger. */
async function oldestMarked(markers: ReadonlySet<string>): Promise<ProcessTree[]> {
  if (markers.size === 0) return [];
  const oldest = new Map<string, ProcessTree>();
  for (const [at, { pid, startedAt }] of (await listInTurns()).entries()) {
    if (at % inTurn === inTurn - 1) await turn();
    const marker = variablesOf(pid).find((variable) => markers.has(variable));
    const known = marker && oldest.get(marker);
    if (marker && (!known || startedAt < known.startedAt)) oldest.set(marker, { pid, startedAt, marker });
  }
  return [...oldest.values()];
}
