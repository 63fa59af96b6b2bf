import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from './answer.ts';

type Answers = Record<string, Answer>;

/**
 * The recorded answer of the stock kernel to each cell, as it holds for a version of Python such as `3.11`. For a version of which
 * there is no recording it has the cells on which all recordings agree, as the others depend on the version.
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
