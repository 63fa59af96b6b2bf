import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache, type NotebookEnvironment } from './environment.ts';
import { type Answers, runSubject, type Subject } from './run.ts';
import type { StockKernels } from './stock-kernels.ts';

/** The programs that decide the recorded answers. */
const programs = ['run_stock.py', 'run.ts'].map((name) => readFileSync(join(import.meta.dirname, name)));

/** The runs of a subject in stock kernels. They are kept in the machine's cache, and run as often as they are needed. */
export type StockRuns = { get: (number: number) => Promise<Answers> };

export function stockRuns(environment: NotebookEnvironment, kernels: StockKernels, subject: Subject): StockRuns {
  const folder = join(cache, 'stock-answers');
  const key = createHash('sha256').update(JSON.stringify([environment.python, subject.id, subject.cells]));
  for (const program of programs) key.update(program);
  const file = join(folder, `${key.digest('hex')}.json`);
  const runs: Answers[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  return {
    async get(number) {
      while (runs.length <= number) {
        runs.push(await runSubject(environment, subject, kernels.answers));
        mkdirSync(folder, { recursive: true });
        writeFileSync(`${file}.${process.pid}`, JSON.stringify(runs));
        renameSync(`${file}.${process.pid}`, file);
      }
      return runs[number] as Answers;
    },
  };
}
