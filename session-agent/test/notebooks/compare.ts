import { isDeepStrictEqual } from 'node:util';
import type { NotebookEnvironment } from './environment.ts';
import { type Answers, runSubject, type Subject } from './run.ts';
import { runInHoldfast } from './run-in-holdfast.ts';
import { type Shown, shownOutputs } from './shown-outputs.ts';
import type { StockKernels } from './stock-kernels.ts';
import { stockRuns } from './stock-runs.ts';

/** `id` is that of the subject and the number of the cell. `here` is undefined if the kernel had ended before the cell. */
export type Difference = { id: string; code: string; stock: Shown[]; here: Shown[] | undefined };

/** Cells that a stock kernel answers in another way each time are `unsteady`; `cells` does not count them. */
export type Comparison = { cells: number; differences: Difference[]; unsteady: string[] };

/** If a cell differs that is not listed, a stock kernel runs the subject this many times, since the cell may differ from itself. */
const stockRunsMax = 3;

/**
 * Runs a subject in a stock kernel and in one of Holdfast's, and compares what a front end shows of each cell. `listed` are the cells
 * that are known to differ, and `varying` those that no run repeats for certain.
 */
export async function compare(
  environment: NotebookEnvironment,
  kernels: StockKernels,
  subject: Subject,
  { listed = [], varying = [] }: { listed?: string[]; varying?: string[] } = {},
): Promise<Comparison> {
  const id = (cell: number) => `${subject.id} ${cell + 1}`;
  const stock = stockRuns(environment, kernels, subject);
  const [first, here] = await Promise.all([
    stock.get(0).then(allShown),
    runSubject(environment, subject, (run) => runInHoldfast(environment.python, run)).then(allShown),
  ]);
  const unequal = first.flatMap((shown, cell) => (isDeepStrictEqual(shown, here[cell]) ? [] : [cell]));
  let steady = unequal.filter((cell) => !varying.includes(id(cell)));
  const hasUnlisted = () => steady.some((cell) => !listed.includes(id(cell)));
  for (let run = 1; run < stockRunsMax && hasUnlisted(); run += 1) {
    const again = allShown(await stock.get(run));
    steady = steady.filter((cell) => isDeepStrictEqual(first[cell], again[cell]));
  }
  const unsteady = unequal.filter((cell) => !steady.includes(cell));
  return {
    cells: first.length - unsteady.length,
    unsteady: unsteady.map(id),
    differences: steady.map((cell) => ({
      id: id(cell),
      code: subject.cells[cell] ?? '',
      stock: first[cell] ?? [],
      here: here[cell],
    })),
  };
}

const allShown = ({ folder, answers }: Answers) => answers.map((answer) => shownOutputs(answer, folder));
