import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeFigures } from './figures/describe-figures.ts';
import { replaceFigures } from './figures/replace-figures.ts';
import { readRun } from './read-run.ts';

const docs = join(import.meta.dirname, '../../../docs');
const folder = 'performance';

/** Draws a file of samples into `docs/performance.md` and its figures. Text outside the markers stays. */
export async function drawReport([file, ...more]: string[]): Promise<void> {
  if (file === undefined || more.length > 0)
    throw new Error('report takes one file of samples: npm run bench -- report FILE.jsonl');
  const { files, markdown } = describeFigures(await readRun(file), folder);
  const page = join(docs, `${folder}.md`);
  const replaced = replaceFigures(await readFile(page, 'utf8'), markdown);
  const into = join(docs, folder);
  await mkdir(into, { recursive: true });
  for (const name of await readdir(into)) if (name.endsWith('.svg')) await rm(join(into, name));
  for (const [name, svg] of Object.entries(files)) await writeFile(join(into, name), svg);
  await writeFile(page, replaced);
  console.log(`${Object.keys(files).length} figures in docs/${folder}, tables in docs/${folder}.md`);
}
