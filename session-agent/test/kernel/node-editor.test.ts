import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';

const defined = `/** Adds two numbers. */
function add(a, b) { return a + b }
const adder = { total: 1, get trap() { process.exit(9) }, sub: { deep: 2 } };
const hostile = new Proxy({}, { ownKeys() { process.exit(9) }, get() { process.exit(9) } });
const añb = 'text', list = [1];
class Box { static make() {} }
import fs from 'node:fs'; 0`;

test('completes names of steps, members, modules and keywords, and runs none of their code', async () => {
  await using open = await openKernel('node');
  await open.run(defined);
  const expected: [string, string[]][] = [
    ['ad', ['adder', 'add']],
    ['1 + adder.t', ['total', 'trap', 'toString', 'toLocaleString']],
    ['adder . sub?.d', ['deep']],
    ['hostile.', []],
    ['fs.readFileS', ['readFileSync']],
    ['Box.m', ['make']],
    ['list.flatM', ['flatMap']],
    ["'é'.padS", ['padStart']],
    ['process.cw', ['cwd']],
    ['awai', ['await']],
    ["import x from 'node:timers/", ['promises']],
    ["require('zli", ['zlib']],
    ["'ad", []],
    ['// ad', []],
    ['f().x', []],
    ['$imp', []],
  ];
  for (const [code, texts] of expected) {
    const { matches } = await open.complete(code);
    expect([code, matches.map(({ text }) => text)]).toEqual([code, texts]);
  }
  expect(await open.complete("'😀' + añ; 1", 8)).toEqual({
    matches: [{ text: 'añb', kind: 'variable' }],
    start: 6,
    end: 8,
  });
  expect((await open.run('adder.total')).shown).toBe('1');
});

test('describes a name, with source and documentation if a step has defined it', async () => {
  await using open = await openKernel('node');
  await open.run(defined);
  const text = async (code: string, cursor?: number) => (await open.inspect(code, cursor)).data['text/plain'];
  expect(await text('add')).toBe(
    'add: function of [step-1]\n/** Adds two numbers. */\nfunction add(a, b) { return a + b }',
  );
  expect(await text('add(1, ')).toContain('add: function');
  expect(await text('adder.total + 1', 8)).toBe('adder.total: number\n1');
  expect(await text('adder')).toContain('trap: [Getter]');
  expect(await text('list')).toBe('list: Array (1)\n[ 1 ]');
  expect(await text('hostile')).toContain('Proxy');
  for (const code of ['missing', 'adder.trap', '1 + ', '"add']) {
    expect(await open.inspect(code)).toEqual({ found: false, data: {} });
  }
});
