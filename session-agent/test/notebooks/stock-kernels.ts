import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { NotebookEnvironment } from './environment.ts';
import type { Run } from './run.ts';
import type { Answer } from './shown-outputs.ts';

/** Runs subjects in stock IPython kernels, one kernel for each. There are fewer answers than cells if one ended the kernel or took too long. */
export type StockKernels = {
  answers: (run: Run) => Promise<Answer[]>;
  [Symbol.dispose]: () => void;
};

export function startStockKernels({ python, path }: NotebookEnvironment): StockKernels {
  const child = spawn(python, [join(import.meta.dirname, 'run_stock.py')], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: path },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async answers(run) {
      child.stdin.write(`${JSON.stringify(run)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the program that runs the stock kernel has ended');
      return JSON.parse(value);
    },
    [Symbol.dispose]: () => void child.stdin.end(),
  };
}
