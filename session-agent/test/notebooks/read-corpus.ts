import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { type NotebookEnvironment, sourcePackage } from './environment.ts';
import { readNotebook } from './read-notebook.ts';
import type { Subject } from './run.ts';

type Package = { package: string; sha256: string; notebooks: string[] };

/** A notebook of the corpus. `id` is the name of its package and its own. */
export type Entry = { id: string; read: (environment: NotebookEnvironment) => Subject };

/** The notebooks that `corpus.json` names. They are in source packages, which are fetched when a notebook is read. */
export function readCorpus(): Entry[] {
  const packages: Package[] = JSON.parse(readFileSync(join(import.meta.dirname, 'corpus.json'), 'utf8'));
  return packages.flatMap(({ package: name, sha256, notebooks }) =>
    notebooks.map((path) => {
      const id = `${name.replace(/==.*/, '')}: ${basename(path, '.ipynb')}`;
      return { id, read: (environment) => readNotebook(id, join(sourcePackage(environment, { name, sha256 }), path)) };
    }),
  );
}

/** Picks some of the entries, the same ones for the same seed. */
export function pick(entries: Entry[], { number, seed }: { number: number; seed: number }): Entry[] {
  const some = fc.shuffledSubarray(entries, { minLength: number, maxLength: number });
  return fc.sample(some, { seed, numRuns: 1 })[0] ?? [];
}
