import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from './answer.ts';

type Answers = Record<string, Answer>;

/**
 * Returns the stock kernel's recorded answer to each cell for a version of Python, such as `3.11`. For a version without a recording
 * it returns the cells on which all recordings agree, since the others depend on the version.
 */
export function recordedAnswers(version: string): Answers {
  const folder = join(import.meta.dirname, 'golden');
  const recordings = readdirSync(folder).map((name) => ({
    name,
    cells: (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { cells: Answers }).cells,
  }));
  const own = recordings.find(({ name }) => name === `python-${version}.json`);
  if (own) return own.cells;
  const [first, ...others] = recordings.map(({ cells }) => cells);
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([id, recorded]) =>
      others.every((cells) => isDeepStrictEqual(cells[id], recorded)),
    ),
  );
}
