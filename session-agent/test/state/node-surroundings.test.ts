import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, manifestOf, recoverState, saveState } from '../support/state.ts';

const before = [
  'import { chdir as go, env as surroundings, cwd } from "node:process"',
  'const leave = () => process.chdir("/tmp"); const setIt = () => { process.env.K = "v" }; const readIt = () => process.env.PATH',
  'class Mover { move() { leave(); return this } }',
  'const mover = new Mover(), held = process.env, change = process.umask; let list = [1]',
];

/** Saves after `before`, and recovers with these steps after it. Returns the surroundings that are lost. */
async function after(steps: LaterStep[]) {
  await using saved = await openKernel('node');
  for (const code of before) expect((await saved.run(code)).end.status).toBe('succeeded');
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('node');
  const report = await recoverState(kernel.kernel, { archive, steps });
  const lost = report.lost.map(({ name }) => name).filter((name) => name.startsWith('('));
  return { kernel, report, lost: lost.sort() };
}

const directory = ['(working directory)'];
const environment = ['(environment)'];

test.each([
  ['process.chdir("/tmp")', directory],
  ['process["chdir"]("/tmp")', directory],
  ['go("/tmp")', directory],
  ['leave()', directory],
  ['mover.move()', directory],
  ['const { chdir } = process; chdir("/tmp")', directory],
  ['const later = () => process.chdir("/tmp")', []],
  ['const later = () => process.chdir("/tmp"); later()', directory],
  ['list.push(process.cwd(), cwd())', []],
  ['process.env.K = "v"', environment],
  ['delete process.env.PATH', environment],
  ['Object.assign(process.env, { K: "v" })', environment],
  ['held.K = "v"', environment],
  ['surroundings.K = "v"', environment],
  ['const { env } = process; env.K = "v"', environment],
  ['const e = process.env; e.K = "v"', environment],
  ['let keys = Object.keys(process.env); list.push(keys)', []],
  ['setIt()', environment],
  ['readIt()', []],
  ['list.push(process.env.PATH, Object.keys(process.env), held.PATH)', []],
  ['list.length = process.argv.length', []],
  ['process.umask(0o77)', ['(umask)']],
  ['change(0o77)', ['(umask)']],
])('after a step that ran %j, the lost surroundings are %j', async (code, lost) => {
  const found = await after([{ code }]);
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(lost);
});

test.each([
  ['Array.prototype.last = function () { return this.at(-1) }', ['Array.prototype.last']],
  ['Object.defineProperty(String.prototype, "twice", { value: 2 })', ['String.prototype']],
  ['Object.assign(Math, { half: 0.5 })', ['Math']],
  ['delete console["table"]', ['console.table']],
  ['Error.prototype[Symbol.for("kind")] = 1', ['Error.prototype']],
  ['process.exitCode++', ['process.exitCode']],
  ['(() => { JSON.parse = () => 1 })()', ['JSON.parse']],
  ['const later = () => { JSON.parse = () => 1 }', []],
  ['list.prototype = Array.prototype', []],
  ['Object.assign(list, Math)', []],
  ['globalThis.made = 1', []],
  ['const event = {}; event.kind = 1', []],
])('after a step that ran %j, the changes of what Node provides are reported: %j', async (code, lost) => {
  const found = await after([{ code }]);
  await using _kernel = found.kernel;
  const names = found.report.lost.map(({ name }) => name);
  expect(names.filter((name) => /^(Array|String|Math|console|Error|process|JSON|Event|event\.)/.test(name))).toEqual(
    lost,
  );
});

test.each([
  ['fs.readFileSync = () => "none"; path.own = 1; delete util.format', ['fs.readFileSync', 'path.own', 'util.format']],
  ['require("zlib").gzipSync = () => 1', ['zlib.gzipSync']],
  ['require("events").prototype.own = () => 1', ['events.prototype.own']],
  [
    'console.log = () => {}; process.own = 1; Error.stackTraceLimit = 3',
    ['Error.stackTraceLimit', 'console.log', 'process.own'],
  ],
  ['setTimeout = () => 1', ['setTimeout']],
  ['module.exports = { n: 1 }', ['module.exports']],
  ['exports.n = 1', ['exports.n']],
  [
    'fs.promises; crypto.webcrypto; util.inspect({}); require("http").globalAgent; console.table([1]); console.count(); process.stdin; process.stdout.columns',
    [],
  ],
])('a snapshot after %j lists the changes of what Node provides: %j', async (code, changed) => {
  await using kernel = await openKernel('node');
  await kernel.run('const fs = require("fs"), path = require("path"), util = require("util"); module.exports; exports');
  expect((await kernel.run(code)).error).toBeUndefined();
  const { notSaved } = manifestOf(await saveState(kernel.kernel));
  expect(notSaved.map(({ name }) => name).sort()).toEqual(changed);
});

test('a name of the user that is also one of Node is not taken for that', async () => {
  await using saved = await openKernel('node');
  await saved.run('const Event = { n: 1 }');
  const archive = await saveState(saved.kernel);
  await using kernel = await openKernel('node');
  const { lost } = await recoverState(kernel.kernel, { archive, steps: [{ code: 'Event.n = 2' }] });
  expect(lost.map(({ name }) => name)).toEqual(['Event']);
});

test('a step that uses a lost value loses the surroundings that this can change', async () => {
  const { kernel, lost } = await after([{ code: 'mover.place = "/"' }, { code: 'mover.move()' }]);
  await using _kernel = kernel;
  expect(lost).toEqual(directory);
});

test('a step that changes the surroundings and runs again loses nothing', async () => {
  const { kernel, report } = await after([{ code: 'process.chdir("/tmp"); process.env.K = "v"', replay: true }]);
  await using _kernel = kernel;
  expect(report).toMatchObject({ lost: [], stopped: null });
  expect((await kernel.run('process.cwd() + held.K')).shown).toBe("'/tmpv'");
});

test('the replay stops before a step that may use lost surroundings', async () => {
  const stepId = newId('stp');
  const { kernel, report } = await after([
    { code: 'process.chdir("/tmp")' },
    { code: 'list.push(1)', replay: true, stepId },
  ]);
  await using _kernel = kernel;
  expect(report.stopped).toEqual({ stepId, reason: 'It may use the working directory, which is lost.' });
});

test('a working directory that is not there any more is reported', async () => {
  await using saved = await openKernel('node');
  await saved.run('const fs = require("fs"), f = fs.mkdtempSync("/var/tmp/state-"); process.chdir(f); fs.rmdirSync(f)');
  await saved.run('fs.mkdirSync(f); process.chdir(f)');
  const archive = await saveState(saved.kernel);
  await saved.run('fs.rmdirSync(f)');
  await using kernel = await openKernel('node');
  const { lost } = await recoverState(kernel.kernel, { archive });
  expect(lost).toEqual([{ name: '(working directory)', reason: expect.stringContaining('cannot be entered') }]);
});
