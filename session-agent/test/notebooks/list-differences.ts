import { resolve } from 'node:path';
import { compare } from './compare.ts';
import { notebookEnvironment } from './environment.ts';
import { readNotebook } from './read-notebook.ts';
import { startStockKernels } from './stock-kernels.ts';

// Prints the cells that differ between a stock kernel and Holdfast's, for the notebooks whose files are the arguments.

const cut = (text: string | undefined, from: number) =>
  (text ?? 'no answer').slice(Math.max(0, from - 200), from + 400);
const environment = await notebookEnvironment();
using kernels = startStockKernels(environment);
let all = 0;
let equal = 0;
for (const file of process.argv.slice(2)) {
  const { cells, differences } = await compare(environment, kernels, readNotebook(file, resolve(file)));
  all += cells;
  equal += cells - differences.length;
  console.log(`${cells - differences.length} of ${cells} equal: ${file}`);
  for (const { id, code, stock, here } of differences) {
    const [one, other] = [JSON.stringify(stock), JSON.stringify(here)];
    const first = [...one].findIndex((character, at) => character !== other?.[at]);
    console.log(
      `  ${id}\n    code: ${JSON.stringify(code.slice(0, 400))}\n    stock: ${cut(one, first)}\n    here:  ${cut(other, first)}`,
    );
  }
}
console.log(`${equal} of ${all} cells equal`);
