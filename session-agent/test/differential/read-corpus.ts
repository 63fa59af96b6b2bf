import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** One cell. `id` is `subject: title`, and `needs` names a library that it needs to run. */
export type Cell = { id: string; code: string; needs: string | undefined };

/** The corpus: for each subject the cells that run in one kernel, one after the other. */
export function readCorpus(): { subject: string; cells: Cell[] }[] {
  const folder = join(import.meta.dirname, 'corpus');
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const subject = basename(name, '.py');
      const [, ...blocks] = readFileSync(join(folder, name), 'utf8').split(/^# %% /m);
      return { subject, cells: blocks.map((block) => cell(subject, block)) };
    });
}

function cell(subject: string, block: string): Cell {
  const end = block.indexOf('\n');
  const [, title, needs] = /^(.*?)(?: \[needs (\w+)\])?$/.exec(block.slice(0, end)) ?? [];
  return { id: `${subject}: ${title}`, code: block.slice(end + 1).replace(/\n$/, ''), needs };
}
