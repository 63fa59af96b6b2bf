import { type BigIntStats, closeSync, lstatSync } from 'node:fs';
import { openDirectory, pathIn } from '../paths/entry-handle.ts';
import { readNames } from './read-names.ts';

/** An entry that a walk has reached. `directory` is a descriptor that stays open until the walk continues. */
export type WalkedEntry = {
  directory: number;
  name: Buffer;
  /** Relative to the start of the walk, with one character for each byte (Latin-1), so that names that are not UTF-8 stay distinct. */
  path: string;
  stats: BigIntStats;
};

export type WalkOptions = {
  /** How many levels to descend; the entries of the first directory are at level 1. */
  depthMax: number;
  entriesMax: number;
  /** The names on the path of the last entry that an earlier walk reached: the walk continues after it. */
  after?: readonly Buffer[];
};

/**
 * Walks everything below an open directory, sorted within each directory, a directory before its entries. Does not follow links. Skips
 * entries that vanish during the walk or cannot be read.
 *
 * @returns whether there is more: beyond a limit, or in a directory that cannot be read
 */
export function* walkTree(directory: number, options: WalkOptions): Generator<WalkedEntry, boolean> {
  return yield* walk(
    { left: options.entriesMax, options },
    {
      directory,
      prefix: '',
      depth: 1,
      after: options.after ?? [],
    },
  );
}

type Walk = { left: number; options: WalkOptions };
type Place = { directory: number; prefix: string; depth: number; after: readonly Buffer[] };

function* walk(
  state: Walk,
  { directory, prefix, depth, after: [last, ...below] }: Place,
): Generator<WalkedEntry, boolean> {
  const { names, isCut } = readNames(directory, state.left);
  let isMore = isCut;
  for (const name of names.sort(Buffer.compare)) {
    const order = last ? Buffer.compare(name, last) : 1;
    if (order < 0) continue;
    const stats = lstatSync(pathIn(directory, name), { bigint: true, throwIfNoEntry: false });
    if (!stats) continue;
    const path = prefix + name.toString('latin1');
    if (order > 0) {
      if (state.left-- <= 0) return true;
      yield { directory, name, path, stats };
    }
    if (!stats.isDirectory() || depth >= state.options.depthMax) continue;
    const child = openOrNull(directory, name);
    if (child === null) {
      isMore = true;
      continue;
    }
    try {
      if (
        yield* walk(state, { directory: child, prefix: `${path}/`, depth: depth + 1, after: order === 0 ? below : [] })
      )
        isMore = true;
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
