import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

test('a step can declare a name anew in every way, however it was declared before', async () => {
  await using open = await openKernel('node');
  const ways: [string, string][] = [
    ['const x = 1', '1'],
    ['let x = 2', '2'],
    ['const x = 3', '3'],
    ['var x = 4', '4'],
    ['function x() { return 5 }', '[Function: x]'],
    ['class x {}', '[class x]'],
    ['const { x } = { x: 6 }', '6'],
    ['async function x() {}', '[AsyncFunction: x]'],
    ['const [x] = [7]', '7'],
    ['let x', 'undefined'],
  ];
  await open.run('var y = 0; function z() {}');
  for (const [code, shown] of ways) {
    for (const name of ['x', 'y', 'z']) {
      const { error } = await open.run(code.replaceAll('x', name).replace('clas' + 's', 'class'));
      expect([code, name, error?.message]).toEqual([code, name, undefined]);
      expect([code, (await open.run(`String(${name}) && ${name}`)).shown ?? 'undefined']).toEqual([
        code,
        shown.replaceAll('x', name),
      ]);
    }
  }
});

test('a name whose initializer has failed stays usable', async () => {
  await using open = await openKernel('node');
  await open.run('const late = JSON.parse("{")');
  expect((await open.run('const late = 2; late')).shown).toBe('2');
});

test.for([
  'eval("let q; let q")',
  'await 1; eval("let q; let q")',
  'new Function("1 +")',
  'JSON.parse("{")',
  'throw new SyntaxError("Identifier \'once\' has already been declared")',
  'require("vm").runInThisContext("let q; let q")',
])('a step that throws a SyntaxError itself runs once: %s', async (code) => {
  await using open = await openKernel('node');
  await open.run('let runs = 0');
  const { end, error } = await open.run(`runs++; let once = 1; ${code}`);
  expect([end.status, error?.name]).toEqual(['failed', 'SyntaxError']);
  expect((await open.run('runs')).shown).toBe('1');
});

test('an imported name follows its module, and cannot be assigned to', async () => {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  await using open = await openKernel('node', { cwd: folder });
  try {
    writeFileSync(join(folder, 'count.mjs'), 'export let count = 0; export const up = () => { count += 1 };');
    for (const before of ['0', 'let count = 9', 'var up = 9; function count() {}']) {
      await open.run(before);
      const first = await open.run(
        "up(); const was = count;\nimport { count, up } from './count.mjs' // hoisted\ncount - was",
      );
      expect([before, first.shown, first.error]).toEqual([before, '0', undefined]);
      expect((await open.run('up(); [typeof count, count - was, { count }.count === count]')).shown).toBe(
        "[ 'number', 1, true ]",
      );
      for (const code of ['count = 1', 'count++', '[count] = [1]', '(() => { count = 1 })()']) {
        expect((await open.run(code)).error?.message).toBe('Assignment to constant variable.');
      }
      expect((await open.run('const count = 5, up = 6; count + up')).shown).toBe('11');
      await open.run('var other = 1; delete globalThis.count; delete globalThis.up');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('modules of Node are globals until a step declares their names', async () => {
  await using open = await openKernel('node');
  expect((await open.run('[path.join("a", "b"), typeof fs.readFileSync, typeof os.cpus]')).shown).toBe(
    "[ 'a/b', 'function', 'function' ]",
  );
  expect((await open.kernel.symbols()).map(({ name }) => name)).toEqual([]);
  for (const code of [
    'const fs = 1; fs',
    'path = 1; path',
    'function os() {} os && 1',
    'var url = 1; url',
    'let util = 1; util',
  ]) {
    expect([code, (await open.run(code)).shown]).toEqual([code, '1']);
  }
  const names = (await open.kernel.symbols()).map(({ name }) => name);
  expect(names.sort()).toEqual(['fs', 'os', 'path', 'url', 'util']);
});

test('a stack that code reads itself has the positions of the code as it was written', async () => {
  await using open = await openKernel('node');
  await open.run('const fixed = 1');
  const codes: [string, string][] = [
    ["import { sep } from 'node:path'; const e = new Error(sep)\ne.stack", '1:44'],
    ['try { fixed = 2 } catch (e) { e.stack }', '1:13'],
    ['enum E { A }\nconst at = (x: number): string => new Error().stack!\nat(E.A)', '2:35'],
    ['let {\n  fixed: own\n}: any = { fixed: new Error() }; own.stack', '3:19'],
    ['export const made = new Error(); made.stack', '1:21'],
    ['var fixed = new Error(); fixed.stack', '1:13'],
  ];
  for (const [code, place] of codes)
    expect([code, String((await open.run(code)).shown)]).toEqual([code, expect.stringContaining(`:${place}`)]);
});

test('an object literal is a value, a block stays a block', async () => {
  await using open = await openKernel('node');
  expect((await open.run('{ a: 1 }')).shown).toBe('{ a: 1 }');
  expect((await open.run('{ let a = 1; a + 1 }')).shown).toBe('2');
});

test('import, import() and require load modules, also from the working directory', async () => {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  await using open = await openKernel('node', { cwd: folder });
  try {
    writeFileSync(join(folder, 'own.mjs'), 'export const a = 1; export default 2;');
    writeFileSync(join(folder, 'typed.ts'), 'export const t: number = 3;');
    writeFileSync(join(folder, 'data.json'), '{"d": 4}');
    writeFileSync(join(folder, 'common.cjs'), 'module.exports = 5;');
    const code = `import two, { a as one } from './own.mjs';
import * as all from './own.mjs';
import data from './data.json' with { type: 'json' };
import { readFileSync } from 'node:fs'
const { t } = await import('./typed.ts');
[one, two, all.a, data.d, t, require('./common.cjs'), typeof readFileSync]`;
    const { shown, error } = await open.run(code);
    expect(error).toBeUndefined();
    expect(String(shown).replace(/\s+/g, ' ')).toBe("[ 1, 2, 1, 4, 3, 5, 'function' ]");
    expect((await open.run('const text = "import x from \'y\'"; text.length')).shown).toBe('17');
    const missing = await open.run('import nothing from "./nothing.mjs"');
    expect(missing.error?.message).toContain('nothing.mjs');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('TypeScript runs with types stripped and enums transformed', async () => {
  await using open = await openKernel('node');
  expect((await open.run('interface P { x: number }\nconst p: P = { x: 4 };\np.x as number')).shown).toBe('4');
  expect((await open.run('enum Colour { Red = 7 }\nColour.Red')).shown).toBe('7');
  expect((await open.run('const generic = <T,>(v: T): T => v; generic<string>("s")')).shown).toBe("'s'");
});

test('errors keep lines and columns of the step as it was written', async () => {
  await using open = await openKernel('node');
  const { error } = await open.run('const ok = 1;\nconst bad = ok.missing.field;');
  expect(error?.traceback).toContain('    at [step-1]:2:24');
  const invalid = await open.run('const a = 1;\nconst b = = 2;');
  expect(invalid.error?.traceback.slice(0, 3)).toEqual(['[step-2]:2:11', 'const b = = 2;', '          ^']);
  for (const thrown of ['5', 'null', 'undefined', '{ a: 1 }', 'Symbol("s")']) {
    const seen = await open.run(`throw ${thrown.startsWith('{') ? `(${thrown})` : thrown}`);
    expect([thrown, seen.end.status, seen.error?.message]).toEqual([thrown, 'failed', thrown.replaceAll('"', '')]);
  }
  const caused = await open.run('throw new Error("outer", { cause: new Error("inner") })');
  expect(caused.error?.traceback).toContain('  [cause]: Error: inner');
});

test('a kernel reports late errors and survives them', async () => {
  await using open = await openKernel('node');
  const { stepId, stderr } = await open.run(
    'const kept = 1; setTimeout(() => { throw new Error("from a timer") }, 50); Promise.reject(new Error("alone")); 0',
  );
  expect(stderr).toContain('alone');
  await until('the late report', () => /from a timer/.test(open.background(stepId)));
  expect((await open.run('kept')).shown).toBe('1');
});

test.for([
  'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  'setTimeout(() => { console.log("up"); for (;;); }, 1); await new Promise(() => {})',
  'setInterval(() => {}, 1); await new Promise(() => {})',
  'for (;;) await null',
  'for (;;) { try { for (;;); } finally { continue } }',
  'await new Promise(() => setImmediate(function again() { setImmediate(again) }))',
])('an interrupt keeps the state: %s', async (code) => {
  await using open = await openKernel('node');
  await open.run('let kept = 1');
  for (let round = 2; round <= 3; round++) {
    const isTimer = code.startsWith('setTimeout');
    const { end } = await open.run(isTimer ? code : `console.log("up"); ${code}`, () => open.kernel.interrupt());
    expect(end.status).toBe('interrupted');
    expect((await open.run('++kept')).shown).toBe(String(round));
  }
});

test('an interrupt stops a step that cannot begin because earlier code keeps the kernel busy', async () => {
  await using open = await openKernel('node');
  await open.run('const kept = 1; setTimeout(() => { console.log("busy"); for (;;); }, 1); 0');
  await until('the busy loop', () => open.background().includes('busy'));
  const step = open.run('kept');
  open.kernel.interrupt();
  expect((await step).end.status).toBe('interrupted');
  expect((await open.run('kept')).shown).toBe('1');
});

test('an abandoned promise that is collected later does not end the kernel', async () => {
  await using open = await openKernel('node');
  await open.run('console.log("up"); await new Promise(() => {})', () => open.kernel.interrupt());
  const collect = 'require("v8").setFlagsFromString("--expose-gc"); require("vm").runInNewContext("gc")(); 1';
  for (let round = 0; round < 3; round++) expect((await open.run(collect)).shown).toBe('1');
});

const sleep = 'const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));';
test.for([
  `${sleep} await sleep(300); console.log("LEAK"); leaks++`,
  `${sleep} for (;;) { await sleep(20); console.log("LEAK"); leaks++ }`,
  'setInterval(() => { console.log("LEAK"); leaks++ }, 20); await new Promise(() => {})',
  'setInterval(() => { console.log("LEAK"); leaks++ }, 20); for (;;);',
  'await new Promise(() => setImmediate(function again() { if (leaks < 0) leaks--; setImmediate(again) }))',
  'const { setTimeout: wait } = await import("node:timers/promises"); await wait(300); console.log("LEAK"); leaks++',
  'for await (const _ of require("node:timers/promises").setInterval(20)) if (stopped) { console.log("LEAK"); leaks++ }',
  'for (;;) { await require("node:timers/promises").scheduler.wait(20); if (stopped) { console.log("LEAK"); leaks++ } }',
  'const wait = require("node:util").promisify(setTimeout); await wait(300); console.error("LEAK"); leaks++',
])('an interrupted step neither prints nor goes on in later steps: %s', async (code) => {
  await using open = await openKernel('node');
  await open.run('var leaks = 0, stopped = false');
  const step = open.run(`console.log("up"); ${code}`, (text) => text.startsWith('up') && open.kernel.interrupt());
  expect((await step).end.status).toBe('interrupted');
  const later = await open.run('leaks = 0; stopped = true; await new Promise((r) => setTimeout(r, 350))');
  expect([later.end.status, later.stdout, later.stderr, open.background()]).toEqual(['succeeded', '', '', '']);
  expect((await open.run('leaks')).shown).toBe('0');
});

test('an interrupted step may go on after a wait, but its output is dropped and it cannot wait again', async () => {
  await using open = await openKernel('node');
  const code = `console.log("up"); var came = 0;
await new Promise((resolve) => { globalThis.comes = resolve });
came = 1; console.log("LEAK"); process.stderr.write("LEAK"); await new Promise((r) => setTimeout(r, 1)); came = 2`;
  await open.run(code, () => open.kernel.interrupt());
  const later = await open.run('comes(); await new Promise((r) => setTimeout(r, 50)); console.log("later"); came');
  expect([later.shown, later.stdout, later.stderr]).toEqual(['1', 'later\n', '']);
});

test('timers of a step that ended by itself go on, also after a later step is interrupted', async () => {
  await using open = await openKernel('node');
  const ticking = await open.run('var ticks = 0; setInterval(() => { ticks++; console.log("tick") }, 5); 0');
  await open.run('console.log("up"); await new Promise(() => {})', () => open.kernel.interrupt());
  const later = await open.run('const was = ticks; await new Promise((r) => setTimeout(r, 100)); ticks > was');
  expect(later.shown).toBe('true');
  expect([later.stdout, open.background(ticking.stepId).slice(0, 5)]).toEqual(['', 'tick\n']);
});

test('symbols have kind, type, preview, size and the step that bound them, and none of their code runs', async () => {
  await using open = await openKernel('node');
  await open.run(`const numbers = Array.from({ length: 1000 }, (_, i) => i);
function add(a, b) { return a + b }
class Box { get trap() { process.exit(9) } }
const box = new Box(), trapped = new Proxy({}, { get() { process.exit(9) }, ownKeys() { process.exit(9) } });
globalThis.loose = new Map([[1, 2]]);
import * as os from 'node:os'`);
  expect(await open.symbol('numbers')).toMatchObject({ kind: 'variable', type: 'Array', size: 1000 });
  expect(await open.symbol('add')).toMatchObject({ kind: 'function', preview: '[Function: add]' });
  expect(await open.symbol('Box')).toMatchObject({ kind: 'class' });
  expect(await open.symbol('box')).toMatchObject({ kind: 'variable', type: 'Box' });
  expect(await open.symbol('trapped')).toMatchObject({ kind: 'variable' });
  expect(await open.symbol('loose')).toMatchObject({ type: 'Map', size: 1 });
  expect(await open.symbol('os')).toMatchObject({ kind: 'module' });
  const before = (await open.symbol('add'))?.stepId;
  await open.run('numbers = 1; loose = 2');
  expect((await open.symbol('numbers'))?.stepId).not.toBe(before);
  expect((await open.symbol('add'))?.stepId).toBe(before);
});

test('values that resist inspection harm neither the kernel nor its state', async () => {
  await using open = await openKernel('node');
  await open.run(`
const tagged = { get [Symbol.toStringTag]() { for (;;) ; } };
const chained = Object.create(new Proxy({}, { get() { for (;;) ; }, getPrototypeOf() { for (;;) ; }, getOwnPropertyDescriptor() { for (;;) ; } }));
const nested = [tagged, { chained }];
const mapped = new Map([[tagged, chained]]);
const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => ['k' + i, i]));
Function.prototype.toString = () => { for (;;) ; };
class Box {}
var kept = 7`);
  const symbols = await open.kernel.symbols();
  expect(symbols.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['tagged', 'chained', 'nested', 'mapped', 'wide', 'Box', 'kept']),
  );
  expect((await open.run('kept')).shown).toBe('7');
});
