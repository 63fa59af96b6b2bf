import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Subject } from './run.ts';

/** The files of `magics/`: the cells of a file begin with a line `# %%` and a title, and run in one kernel. */
export function readMagics(): (Subject & { titles: string[] })[] {
  const folder = join(import.meta.dirname, 'magics');
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const [, ...blocks] = readFileSync(join(folder, name), 'utf8').split(/^# %% /m);
      return {
        id: basename(name, '.ipy'),
        folder: undefined,
        titles: blocks.map((block) => block.slice(0, block.indexOf('\n'))),
        cells: blocks.map((block) => block.slice(block.indexOf('\n') + 1).replace(/\n$/, '')),
      };
    });
}
