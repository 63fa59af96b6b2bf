import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CutOff, cutOffPrograms } from './cut-off-programs.ts';
import { pythonProgram } from './random-python-programs.ts';

const count = Number(process.env.HOLDFAST_STATE_PROGRAMS ?? 25);
const first = Number(process.env.HOLDFAST_STATE_SEED ?? 1);
const source = readFileSync(join(import.meta.dirname, 'describe-names.py'), 'utf8');

const python: CutOff = {
  language: 'python',
  program: pythonProgram,
  async describe(kernel, { names }) {
    const { stdout, error } = await kernel.run(`${source}\n_describe(${JSON.stringify(names)})`);
    if (error) throw new Error(error.traceback.join('\n'));
    return JSON.parse(stdout);
  },
};

test(
  `after ${count} random programs that were cut off, each name has its value or is reported as lost`,
  async () => {
    const { wrong, ...found } = await cutOffPrograms(python, { first, count });
    console.log(JSON.stringify(found));
    expect(wrong.slice(0, 3).join('\n\n')).toBe('');
    // A recovery that loses everything would keep the promise, too.
    expect(found.restored + found.replayed).toBeGreaterThan(0.4 * found.names);
  },
  count * 20_000 + 30_000,
);
