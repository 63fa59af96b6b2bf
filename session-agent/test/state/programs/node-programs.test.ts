import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CutOff, cutOffPrograms } from './cut-off-programs.ts';
import { nodeNames, nodeProgram } from './random-node-programs.ts';

const count = Number(process.env.HOLDFAST_STATE_PROGRAMS ?? 15);
const first = Number(process.env.HOLDFAST_STATE_SEED ?? 1);
const source = readFileSync(join(import.meta.dirname, 'describe-names.js'), 'utf8');

const node: CutOff = {
  language: 'node',
  program: nodeProgram,
  async describe(kernel, { names: left, isLast }) {
    const names = nodeNames.filter((name) => !left.includes(name));
    const call = `(${source.trimEnd().slice(0, -1)})(${JSON.stringify(names)}, { calls: ${isLast} })`;
    const { stdout, error } = await kernel.run(`console.log(${call})`);
    if (error) throw new Error(error.traceback.join('\n'));
    return JSON.parse(stdout);
  },
};

test(
  `after ${count} random programs that were cut off, each name has its value or is reported as lost`,
  async () => {
    const { wrong, ...found } = await cutOffPrograms(node, { first, count });
    console.log(JSON.stringify(found));
    expect(wrong.slice(0, 3).join('\n\n')).toBe('');
    // A recovery that loses everything would keep the promise, too.
    expect(found.restored + found.replayed).toBeGreaterThan(0.15 * found.names);
  },
  count * 20_000 + 30_000,
);
