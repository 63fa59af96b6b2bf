import { type BigIntStats, closeSync, lstatSync } from 'node:fs';
import { openDirectory, pathIn } from '../paths/entry-handle.ts';
import { readNames } from './read-names.ts';

/** What a walk came by. `directory` is held until the walk goes on. */
export type WalkedEntry = {
  directory: number;
  name: Buffer;
  /** Relative to where the walk began; one character for each byte (Latin-1), so that every name can be told. */
  path: string;
  stats: BigIntStats;
};

export type WalkOptions = {
  /** How far below the beginning; its own entries are at 1. */
  depthMax: number;
  entriesMax: number;
  /** Leaves out what lies on another file system. */
  device?: bigint;
};

/**
 * Everything below a held directory, sorted within each directory, a directory before what is in it. Goes into no link. What vanishes
 * meanwhile or cannot be read is left out.
 *
 * @returns whether there is more: beyond a bound, or behind a directory that cannot be read
 */
export function* walkTree(directory: number, options: WalkOptions): Generator<WalkedEntry, boolean> {
  return yield* walk({ left: options.entriesMax, options }, { directory, prefix: '', depth: 1 });
}

type Walk = { left: number; options: WalkOptions };

function* walk(
  state: Walk,
  { directory, prefix, depth }: { directory: number; prefix: string; depth: number },
): Generator<WalkedEntry, boolean> {
  const { names, isCut } = readNames(directory, state.left);
  let isMore = isCut;
  for (const name of names.sort(Buffer.compare)) {
    const stats = lstatSync(pathIn(directory, name), { bigint: true, throwIfNoEntry: false });
    if (!stats) continue;
    if (state.left-- <= 0) return true;
    const path = prefix + name.toString('latin1');
    yield { directory, name, path, stats };
    if (!stats.isDirectory() || (state.options.device ?? stats.dev) !== stats.dev) continue;
    if (depth >= state.options.depthMax) continue;
    const child = openOrNull(directory, name);
    if (child === null) {
      isMore = true;
      continue;
    }
    try {
      if (yield* walk(state, { directory: child, prefix: `${path}/`, depth: depth + 1 })) isMore = true;
    } finally {
      closeSync(child);
    }
    if (state.left < 0) return true;
  }
  return isMore;
}

function openOrNull(directory: number, name: Buffer): number | null {
  try {
    return openDirectory(directory, name);
  } catch {
    return null;
  }
}
