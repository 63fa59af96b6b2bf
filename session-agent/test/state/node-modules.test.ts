import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';

async function recovered(
  codes: string[],
  { cwd = '/tmp', steps = [] as LaterStep[], beforeLoad = async () => {} } = {},
) {
  await using saved = await openKernel('node', { cwd });
  for (const code of codes) expect((await saved.run(code)).error).toBeUndefined();
  const archive = await saveState(saved.kernel);
  await beforeLoad();
  const kernel = await openKernel('node', { cwd });
  const report = await recoverState(kernel.kernel, { archive, steps });
  return { kernel, lost: report.lost, names: report.lost.map(({ name }) => name) };
}

async function withModules() {
  const folder = await mkdtemp('/tmp/node-modules-');
  await writeFile(join(folder, 'm.mjs'), 'export const f = () => 1; export const o = { a: 1 }; export class K {}');
  await writeFile(
    join(folder, 'm.cjs'),
    'let n = 0; exports.next = () => ++n; exports.o = { a: 1 }; exports.K = class K {};',
  );
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test.each([
  [
    'an object of a module',
    'const { performance: p } = require("node:perf_hooks"), q = performance',
    '[p === performance, p === q, typeof p.now()]',
  ],
  ['what a dynamic import gives', 'const { performance: p } = await import("node:perf_hooks")', 'p === performance'],
  [
    'the namespaces of dynamic imports',
    'const os = await import("node:os"), all = { path: await import("path") }',
    '[os.EOL, all.path.join("a", "b"), os === (await import("node:os"))]',
  ],
  ['a namespace under another name', 'import * as os from "node:os"\nconst other = os', 'other === os'],
  [
    'constants of a module',
    'const { constants: c } = require("fs"), { argv, env } = process',
    '[c === require("fs").constants, argv === process.argv, env === process.env]',
  ],
])('%s comes back as that of Node', async (_, code, shown) => {
  const { kernel, lost } = await recovered([code]);
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  expect((await kernel.run(`String(${shown}).includes("false") ? "differs" : "same"`)).shown).toBe("'same'");
});

test('modules of the workspace, their functions and classes come back as those of the module', async () => {
  await using modules = await withModules();
  const code = 'const ns = await import("./m.mjs"), { f, K } = ns; const lib = require("./m.cjs"), { next } = lib';
  const { kernel, lost } = await recovered([code], { cwd: modules.folder });
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  const shown = await kernel.run(
    '[f === ns.f, K === ns.K, f(), next === lib.next, lib === require("./m.cjs"), next()]',
  );
  expect(shown.shown).toBe('[ true, true, 1, true, true, 1 ]');
});

test('a module whose data have changed is not taken for the same one', async () => {
  await using modules = await withModules();
  const code =
    'const ns = await import("./m.mjs"); ns.o.a = 7; const lib = require("./m.cjs"); lib.o.a = 7; const { o } = lib';
  const { kernel, names } = await recovered([code], { cwd: modules.folder });
  await using _kernel = kernel;
  expect(names.sort()).toEqual(['lib', 'ns']);
  expect((await kernel.run('o.a')).shown).toBe('7');
});

test('a module that is gone costs only the names that have it', async () => {
  await using modules = await withModules();
  const beforeLoad = () => rm(join(modules.folder, 'm.mjs'));
  const code = 'const ns = await import("./m.mjs"), list = [ns.f]; let other = 1';
  const { kernel, lost } = await recovered([code], { cwd: modules.folder, beforeLoad });
  await using _kernel = kernel;
  expect(lost.map(({ name }) => name).sort()).toEqual(['list', 'ns']);
  expect(lost[0]?.reason).toContain('import of ./m.mjs failed');
  expect((await kernel.run('other')).shown).toBe('1');
});

test.each([
  ['require("events").defaultMaxListeners = 5', ['events.defaultMaxListeners']],
  ['process.exitCode = 3', ['process.exitCode']],
  ['process.once("SIGUSR2", () => {})', ['process.on(SIGUSR2)']],
  ['require("util").inspect.defaultOptions.depth = 0', ['util.inspect']],
  ['require("http").globalAgent.maxSockets = 7', ['http.globalAgent']],
  ['require("dns").setDefaultResultOrder("ipv4first")', ['(dns settings)']],
  ['process.argv[1] = "other"', ['process.argv.1']],
])('a snapshot after %j names the setting: %j', async (code, settings) => {
  const { kernel, names } = await recovered([code]);
  await using _kernel = kernel;
  expect(names).toEqual(settings);
});

test.each([
  ['EventEmitter.defaultMaxListeners = 5', ['EventEmitter', 'events']],
  ['Emitter.defaultMaxListeners = 5', ['events.EventEmitter']],
  ['require("node:events").defaultMaxListeners = 5', ['events.defaultMaxListeners']],
  ['process.on("SIGUSR2", () => {})', ['process.on(SIGUSR2)']],
  ['process.argv.push("more")', ['process.argv']],
  ['given.push("more")', ['given', 'process.argv']],
  ['dns.setDefaultResultOrder("ipv4first")', ['(dns settings)']],
])('a later step %j names the setting: %j', async (code, settings) => {
  const before =
    'import { EventEmitter as Emitter } from "events"\nconst EventEmitter = require("events"), dns = require("dns"), given = process.argv';
  const { kernel, names } = await recovered([before], { steps: [{ code }] });
  await using _kernel = kernel;
  expect(names.sort()).toEqual(settings);
});
