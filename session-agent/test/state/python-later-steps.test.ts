import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';

const before = [
  'import math',
  'n = 1; text = "a"; items = [1]; other = [2]; table = {"k": items}',
  'def read(): return n + len(items)',
  'def add(k): items.append(k)',
  'def count():\n  global n\n  n += 1',
  'class Box:\n  def __init__(self): self.held = []\n  def put(self, k): self.held.append(k); return self',
  'box = Box(); empty = Box()',
];

/** Saves after `before`, and recovers with these steps after it. */
async function after(steps: LaterStep[]) {
  await using saved = await openKernel('python');
  for (const code of before) await saved.run(code);
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('python');
  const report = await recoverState(kernel.kernel, { archive, steps });
  return { kernel, report, lost: report.lost.map(({ name }) => name).sort() };
}

test.each([
  ['print(n, items, table)', []],
  ['items', []],
  ['math.floor(n + len(items)); sorted(items)', []],
  ['[k * 2 for k in items if k]', []],
  ['f"{n} {items}"', []],
  ['n += 1', []],
  ['m, k = n + 1, f"{text}!"; l = [n, {"k": m}]', []],
  ['m = [n, {text: -n}]; m[0] = 2', ['m']],
  ['m = n is 1', ['m']],
  ['m = len(items) + 1', ['m']],
  ['table += 1 if n else 2', ['items', 'table']],
  ['items.append(2)', ['items', 'table']],
  ['table["k"].append(2)', ['items', 'table']],
  ['other[0] = 5', ['other']],
  ['add(2)', ['items', 'table']],
  ['count()', ['n']],
  ['read()', ['items', 'table']],
  ['box.put(1)', ['box']],
  ['b = Box().put(items)', ['b', 'items', 'table']],
  ['same = other; same.append(1)', ['other', 'same']],
  ['for k in table: table[k].clear()', ['items', 'k', 'table']],
  ['del other', ['other']],
  ['Box.size = 3', ['Box', 'box', 'empty']],
  ['import os', []],
  ['def new(): return n', []],
])('after a step that ran %j, the lost names are %j', async (code, lost) => {
  const found = await after([{ code }]);
  await using kernel = found.kernel;
  expect(found.lost).toEqual(lost);
  for (const name of lost) expect((await kernel.run(name)).error?.name).toBe('NameError');
});

test('everything is lost after a step that can change any name', async () => {
  for (const code of ['exec("n = 2")', 'globals()["n"] = 2', '%timeit 1']) {
    const found = await after([{ code }]);
    await using _kernel = found.kernel;
    expect(found.report.restored).toEqual([]);
    expect(found.lost).toContain('*');
  }
});

test('assignments of numbers and texts run again in their order', async () => {
  const { kernel, lost, report } = await after([
    { code: 'n += 2; m = n * 2' },
    { code: 'm += n; text = f"{text}{m}"; pair = (n, [m])' },
    { code: 'late = read()' },
    { code: 'more = m if late else n' },
  ]);
  await using _kernel = kernel;
  expect(lost).toEqual(['items', 'late', 'more', 'table']);
  expect(report.replayed).toEqual(['m', 'n', 'pair', 'text']);
  expect((await kernel.run('(n, m, text, pair)')).shown).toBe("(3, 9, 'a9', (3, [9]))");
});

test('definitions of later steps run again, in their order', async () => {
  const steps = [
    { code: 'def f(): return n' },
    { code: 'import json\nclass C(Box): pass\nprint("twice")' },
    { code: 'def f(): return n + 1' },
  ];
  const { kernel, report } = await after(steps);
  await using _kernel = kernel;
  expect(report).toMatchObject({ replayed: ['C', 'f', 'json'], lost: [] });
  expect(await kernel.run('(f(), isinstance(C(), Box), json.dumps(1))')).toMatchObject({
    shown: "(2, True, '1')",
    stdout: '',
  });
  expect(kernel.background()).toBe('');
});

test('a definition that needs a lost name is lost, too', async () => {
  const { kernel, lost } = await after([{ code: 'size = len(items)\ndef f(k=size): return k' }]);
  await using _kernel = kernel;
  expect(lost).toEqual(['f', 'size']);
});

test('a whole step runs again if it may, and what it sets is replayed', async () => {
  const { kernel, report } = await after([
    { code: 'n = n + 10; print("shown")', replay: true },
    { code: 'items.append(n)', replay: true },
  ]);
  await using _kernel = kernel;
  expect(report).toMatchObject({ replayed: ['n'], lost: [], stopped: null });
  expect(await kernel.run('(n, items, table)')).toMatchObject({ shown: "(11, [1, 11], {'k': [1, 11]})", stdout: '' });
});

test('the replay stops at a step that ends in another way than before', async () => {
  const stepId = newId('stp');
  const { kernel, report, lost } = await after([
    { code: 'n = 5', replay: true },
    { code: 'other.append(missing)', replay: true, stepId },
    { code: 'text = other[0]', replay: true },
  ]);
  await using _kernel = kernel;
  expect(report.stopped).toMatchObject({ stepId, reason: expect.stringContaining('NameError') });
  expect(report.replayed).toEqual(['n']);
  expect(lost).toEqual(['other', 'text']);
});

test('a class that a later step defined is lost if the class that it extends may have changed', async () => {
  const { kernel, lost } = await after([
    { code: 'class Base: pass\nclass Derived(Base): pass' },
    { code: 'held = [Derived()]', replay: true },
    { code: 'Base.added = open("/proc/uptime").read()' },
  ]);
  await using _kernel = kernel;
  expect(lost).toEqual(expect.arrayContaining(['Base', 'Derived', 'held']));
});

test('a class is lost if the class that it extends changes after that one has lost its name', async () => {
  const { kernel, lost } = await after([
    { code: 'class Base: pass\nclass Derived(Base): pass' },
    { code: 'missing\nclass Base: pass', status: 'failed' },
    { code: 'Base.added = 1' },
  ]);
  await using _kernel = kernel;
  expect(lost).toEqual(expect.arrayContaining(['Base', 'Derived']));
});

test.each([
  ['a failed step that uses it', { code: 'class D(Lost): pass\nitems.missing', status: 'failed' as const }],
  ['a step that calls a function which uses it', { code: 'count = uses()' }],
])('the replay stops, if a name is lost, before %s', async (_title, step) => {
  const stepId = newId('stp');
  const { kernel, report } = await after([
    { code: 'def uses():\n  try: return Lost\n  except Exception: return 0' },
    { code: 'Lost = type(open("/proc/uptime").read()[:1], (), {})' },
    { ...step, replay: true, stepId },
  ]);
  await using _kernel = kernel;
  expect(report.stopped).toEqual({ stepId, reason: 'the step uses Lost, which is lost' });
});

test('a step of which the end is unknown does not run again, and loses what it mentions', async () => {
  const { kernel, lost, report } = await after([{ code: 'def f(): pass\nitems.append(3)\nn = 7', status: 'lost' }]);
  await using _kernel = kernel;
  expect(lost).toEqual(['f', 'items', 'n', 'table']);
  expect(report.restored).toContain('other');
});

test('without a snapshot, definitions and what is computed come back, and all other names are reported', async () => {
  await using kernel = await openKernel('python');
  const report = await recoverState(kernel.kernel, { steps: before.map((code) => ({ code })) });
  expect(report.replayed).toEqual(['Box', 'add', 'count', 'items', 'math', 'n', 'other', 'read', 'text']);
  expect(report.lost.map(({ name }) => name).sort()).toEqual(['box', 'empty', 'table']);
});
