import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CutOff, cutOffPrograms } from './cut-off-programs.ts';
import { bashProgram } from './random-bash-programs.ts';

const count = Number(process.env.HOLDFAST_STATE_PROGRAMS ?? 15);
const first = Number(process.env.HOLDFAST_STATE_SEED ?? 1);
const source = readFileSync(join(import.meta.dirname, 'describe-names.bash'), 'utf8');

const bash: CutOff = {
  language: 'bash',
  program: bashProgram,
  async describe(kernel) {
    const entries = (await kernel.run(source)).stdout.split('\u0002').slice(0, -1);
    return Object.fromEntries(
      entries.map((entry) => entry.split('\u0001')).map(([name = '', shown = '']) => [name, { shown, objects: [] }]),
    );
  },
  settings: new Set(['current directory', 'positional parameters', 'trap SIGUSR1', 'trap EXIT', 'options']),
};

test(
  `after ${count} random programs that were cut off, each name has its value or is reported as lost`,
  async () => {
    const { wrong, ...found } = await cutOffPrograms(bash, { first, count });
    console.log(JSON.stringify(found));
    expect(wrong.slice(0, 3).join('\n\n')).toBe('');
    // A recovery that loses everything would keep the promise, too.
    expect(found.restored + found.replayed).toBeGreaterThan(0.4 * found.names);
  },
  count * 20_000 + 30_000,
);
