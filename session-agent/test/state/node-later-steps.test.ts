import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';

const before = [
  'import { join } from "node:path"',
  'let n = 1; let text = "a"; const items = [1]; let other = [2]; var table = { k: items }',
  'function read() { return n + items.length }',
  'function add(k) { items.push(k) }',
  'const count = () => { n += 1 }',
  'class Box { held = []; put(k) { this.held.push(k); return this } }',
  'const box = new Box(), empty = new Box()',
];

/** Saves after `before`, and recovers with these steps after it. */
async function after(steps: LaterStep[]) {
  await using saved = await openKernel('node');
  for (const code of before) await saved.run(code);
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('node');
  const report = await recoverState(kernel.kernel, { archive, steps });
  return { kernel, report, lost: report.lost.map(({ name }) => name).sort() };
}

test.each([
  ['console.log(n, items, table)', []],
  ['items', []],
  ['Math.floor(n + items.length)', ['items', 'table']],
  ['n', []],
  ['n += 1; n++; text = text + "b"', []],
  ['let m = n + 1', []],
  ['let m = items.length', ['items', 'm', 'table']],
  ['n += items.pop()', ['items', 'n', 'table']],
  ['items.push(2)', ['items', 'table']],
  ['table.k.push(2)', ['items', 'table']],
  ['other[0] = 5', ['other']],
  ['add(2)', ['items', 'table']],
  ['count()', ['n']],
  ['box.put(1)', ['box']],
  ['let b = new Box().put(items)', ['b', 'items', 'table']],
  ['let same = other; same.push(1)', ['other', 'same']],
  ['for (const k of Object.keys(table)) table[k].length = 0', expect.arrayContaining(['items', 'table'])],
  ['delete globalThis.table', expect.arrayContaining(['table'])],
  ['Box.size = 3', expect.arrayContaining(['Box'])],
  ['import os from "node:os"', []],
  ['function fresh() { return n }', []],
  ['{ let inner = 1; function inside() { return inner } }', ['inside']],
])('after a step that ran %j, the lost names are %j', async (code, lost) => {
  const found = await after([{ code }]);
  await using kernel = found.kernel;
  expect(found.lost).toEqual(lost);
  for (const name of found.lost) expect((await kernel.run(name)).error?.name).toBe('ReferenceError');
});

test.each([
  ['eval("n = 2")'],
  ['globalThis["n"] = 2'],
  ['new Function("n = 2")()'],
  ['(() => {}).constructor("n = 2")()'],
  ['require("node:vm").runInThisContext("n = 2")'],
  ['require(["v", "m"].join("")).runInThisContext("n = 2")'],
  ['[require][0]("vm").runInThisContext("n = 2")'],
  ['import { runInThisContext as r } from "node:vm"; r("n = 2")'],
  ['const w = require("vm")', 'w.runInThisContext("n = 2")'],
  ['function change() { eval("n = 2") }', 'change()'],
  ['const call = [eval]', 'call[0]("n = 2")'],
])('everything is lost after a step that can change any name: %s %s', async (...codes) => {
  const found = await after(codes.filter(Boolean).map((code) => ({ code })));
  await using _kernel = found.kernel;
  expect(found.report.restored.filter((name) => name !== 'join')).toEqual([]);
  expect(found.lost).toContain('*');
});

test('a step that uses what could not be saved loses all names, and those that it binds', async () => {
  await using saved = await openKernel('node');
  await saved.run('let n = 1; const weak = new WeakSet()');
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('node');
  const { lost } = await recoverState(kernel.kernel, { archive, steps: [{ code: 'let has = weak.has({})' }] });
  expect(lost.map(({ name }) => name).sort()).toEqual(['has', 'n', 'weak']);
});

test('a step that deletes a property of the global object does not run again', async () => {
  const { kernel, report, lost } = await after([{ code: 'delete globalThis.n', replay: true }]);
  await using _kernel = kernel;
  expect(report.stopped).toMatchObject({ reason: expect.stringContaining('global object') });
  expect(lost).toContain('n');
});

test('a module that a step requires is there again', async () => {
  const { kernel, report } = await after([
    { code: 'const path = require("node:path"), { EOL, platform: os } = require("os"); let later = n' },
  ]);
  await using _kernel = kernel;
  expect({ ...report, replayed: report.replayed.toSorted() }).toMatchObject({
    replayed: ['EOL', 'later', 'os', 'path'],
    lost: [],
  });
  expect((await kernel.run('[EOL, os(), path.join("a", "b"), join === path.join].join()')).shown).toBe(
    "'\\n,linux,a/b,true'",
  );
});

test('definitions of later steps run again, in their order', async () => {
  const steps = [
    { code: 'function f() { return n }' },
    { code: 'import { EOL } from "node:os"\nclass C extends Box {}\nconsole.log("twice")' },
    { code: 'function f() { return n + 1 }' },
  ];
  const { kernel, report } = await after(steps);
  await using _kernel = kernel;
  expect({ ...report, replayed: report.replayed.toSorted() }).toMatchObject({ replayed: ['C', 'EOL', 'f'], lost: [] });
  expect(await kernel.run('[f(), new C() instanceof Box, EOL].join()')).toMatchObject({
    shown: "'2,true,\\n'",
    stdout: '',
  });
  expect(kernel.background()).toBe('');
});

test('a definition that needs a lost name is lost, too', async () => {
  const { kernel, lost } = await after([
    { code: 'let size = n + 3, Base = size ? Box : null\nclass D extends Base {}' },
  ]);
  await using _kernel = kernel;
  expect(lost).toEqual(expect.arrayContaining(['Base', 'D', 'size']));
});

test('a whole step runs again if it may, and what it sets is replayed', async () => {
  const { kernel, report } = await after([
    { code: 'n = n + 10; console.log("shown"); setTimeout(() => console.log("late"), 1); let m = n', replay: true },
    { code: 'items.push(m); const held = [items]', replay: true },
  ]);
  await using _kernel = kernel;
  expect(report).toMatchObject({ lost: [], stopped: null });
  expect(report.replayed.toSorted()).toEqual(['held', 'm']);
  expect(await kernel.run('JSON.stringify([n, items, table, m, held])')).toMatchObject({
    shown: `'[11,[1,11],{"k":[1,11]},11,[[1,11]]]'`,
    stdout: '',
  });
  expect((await kernel.run('held = 1')).error?.name).toBe('TypeError');
  await kernel.run('await new Promise((done) => setTimeout(done, 50))');
  expect(kernel.background()).toBe('');
});

test('a name that was lost stays lost if the replayed step that declares it anew fails first', async () => {
  const { kernel, report, lost } = await after([
    { code: 'n = Number(process.hrtime.bigint() > 0n) * 7' },
    { code: 'const early = 1; null.missing; let n = 8; let never = 9', status: 'failed', replay: true },
  ]);
  await using _kernel = kernel;
  expect(lost).toContain('n');
  expect(report).toMatchObject({ stopped: null, replayed: expect.arrayContaining(['early', 'never']) });
  expect((await kernel.run('early')).shown).toBe('1');
});

test.each([
  ['calls it', ['function change() { n += 1 }', 'change = [change][0]', 'change()'], 'n'],
  ['sets a member of what it may be', ['function f() {}', 'var g = [f][0]', 'g.calls = 1'], 'f'],
  ['calls what an unknown step may have made', ['function f() {}', 'eval("1")', 'n = 1', 'made()'], 'n'],
])('a lost value may still change others, if a later step %s', async (_title, codes, changed) => {
  const { kernel, lost } = await after(codes.map((code) => ({ code })));
  await using _kernel = kernel;
  expect(lost).toContain(changed);
});

test('a function of a block in a replayed step can be lost afterwards', async () => {
  const { kernel, lost } = await after([
    { code: '{ function inner() { return 1 } } null.missing', status: 'failed', replay: true },
    { code: '{ function inner() { return n } }; eval("1")' },
  ]);
  await using _kernel = kernel;
  expect(lost).toContain('*');
  expect((await kernel.run('typeof inner')).shown).toBe("'undefined'");
});

test('a step does not run again if a function of a block in it has the name of a `let`', async () => {
  const stepId = newId('stp');
  const { kernel, report } = await after([{ code: '{ function n() {} }', replay: true, stepId }]);
  await using _kernel = kernel;
  expect(report.stopped).toMatchObject({ stepId, reason: expect.stringContaining('the variable n') });
});

test('the replay stops at a step that ends in another way than before', async () => {
  const stepId = newId('stp');
  const { kernel, report, lost } = await after([
    { code: 'n = 5', replay: true },
    { code: 'other.push(missing)', replay: true, stepId },
    { code: "text = 'b' + other.length", replay: true },
  ]);
  await using _kernel = kernel;
  expect(report.stopped).toMatchObject({ stepId, reason: expect.stringContaining('failed') });
  expect(lost).toEqual(['other', 'text']);
});

test('a step of which the end is unknown does not run again, and loses what it mentions', async () => {
  const { kernel, lost, report } = await after([{ code: 'function f() {}\nitems.push(3)\nn = 7', status: 'lost' }]);
  await using _kernel = kernel;
  expect(lost).toEqual(['f', 'items', 'n', 'table']);
  expect(report.restored).toContain('other');
});

test('without a snapshot, definitions come back and all other names are reported', async () => {
  await using kernel = await openKernel('node');
  const report = await recoverState(kernel.kernel, { steps: before.map((code) => ({ code })) });
  const fresh = ['Box', 'add', 'count', 'join', 'n', 'other', 'read', 'text'];
  expect(report.replayed.toSorted()).toEqual(fresh);
  expect(report.lost.map(({ name }) => name).sort()).toEqual(['box', 'empty', 'items', 'table']);
  expect((await kernel.run('n = 2; var items = [3]; read()')).shown).toBe('3');
});

test('assignments of primitive values run again in their order', async () => {
  const steps = [
    'let m = n + 1; n = 7; let k = m + n',
    'k += n; let n2 = n; n2++',
    "var n2 = '' + k; let n3 = n2 + 1; n2 = 4",
  ];
  const { kernel, lost } = await after(steps.map((code) => ({ code })));
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  expect((await kernel.run('JSON.stringify([n, m, k, n2, n3])')).shown).toBe(`'[7,2,16,4,"161"]'`);
});

test('names keep how they were declared', async () => {
  const { kernel } = await after([]);
  await using _kernel = kernel;
  expect((await kernel.run('items = 1')).error?.name).toBe('TypeError');
  expect((await kernel.run('text = "b"; let text2 = text; text2')).shown).toBe("'b'");
  expect((await kernel.run('[typeof globalThis.n, typeof globalThis.table].join()')).shown).toBe("'undefined,object'");
});

test('a value that a timer may change later is lost in a recovery, and a fork begins with it', async () => {
  await using saved = await openKernel('node');
  await saved.run(
    'let ticks = [0]; const fixed = 7; function f() { return 1 }; const timer = setInterval(() => { ticks[0] += 1 }, 5)',
  );
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('node');
  const report = await recoverState(kernel.kernel, { archive, steps: [] });
  expect(report.restored.toSorted()).toEqual(['f', 'fixed']);
  expect(report.lost.map(({ name }) => name).sort()).toEqual(['ticks', 'timer']);
  await using fork = await openKernel('node');
  const begun = await recoverState(fork.kernel, {
    archive: await saveState(saved.kernel, { isFork: true }),
    steps: [],
  });
  expect(begun.restored.toSorted()).toEqual(['f', 'fixed', 'ticks']);
  expect(begun.lost.map(({ name }) => name).sort()).toEqual(['(timers and connections)', 'timer']);
  expect((await fork.run('typeof ticks[0]')).shown).toBe("'number'");
});

test('a snapshot changes nothing and runs none of the code of steps', async () => {
  await using kernel = await openKernel('node');
  await kernel.run(`
    let calls = 0;
    const trap = new Proxy({}, { get: () => { calls += 1 }, ownKeys: () => { calls += 1; return [] } });
    const lazy = { get value() { calls += 1; return 1 }, toJSON() { calls += 1 }, [Symbol.toPrimitive]() { calls += 1 } };
    Object.prototype.toJSON = () => { calls += 1 };
    Array.prototype.map = Array.prototype.push = () => { calls += 1 };
    Map.prototype.forEach = Map.prototype.entries = () => { calls += 1 };
    JSON.stringify = Object.keys = Reflect.ownKeys = () => { calls += 1 };
    globalThis.structuredClone = () => { calls += 1 };
    const weak = new WeakRef({}), map = new Map([[1, 2]]);
    const before = Object.getOwnPropertyNames(globalThis).length;
  `);
  await saveState(kernel.kernel);
  await saveState(kernel.kernel);
  expect((await kernel.run('calls')).shown).toBe('0');
  expect((await kernel.run('Object.getOwnPropertyNames(globalThis).length - before')).shown).toBe('0');
});
