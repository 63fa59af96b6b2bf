import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { manifestOf, recoverState, saveState } from '../support/state.ts';

/** Steps, and an expression that shows the value. After a recovery it shows the same, unless a name is lost that it uses. */
const kept: readonly [what: string, steps: string[], shown: string][] = [
  ['numbers', ['let v = [-0, NaN, Infinity, 1e300, 5n, undefined, null, true]'], 'Object.is(v[0], -0) + String(v)'],
  ['strings with lone surrogates', ["let v = 'a\\ud800b\\u0000'"], "v === 'a\\ud800b\\u0000'"],
  ['a constant', ['const v = 1'], '(() => { try { eval("v = 2") } catch {} return v })()'],
  [
    'holes, more properties and a cut length',
    ['let v = [1, , 3]; v.more = v; v[7] = 8; v.length = 6'],
    '[v.length, 1 in v, v.more === v]',
  ],
  [
    'attributes',
    ["let v = Object.defineProperty({}, 'x', { value: 1 }); Object.preventExtensions(v)"],
    'JSON.stringify([Object.getOwnPropertyDescriptors(v), Object.isExtensible(v)])',
  ],
  ['frozen lists', ['let v = Object.freeze([1, { a: 2 }])'], '[Object.isFrozen(v), v[1].a]'],
  ['no prototype', ['let v = Object.assign(Object.create(null), { a: 1 })'], '[Object.getPrototypeOf(v), v.a]'],
  ['a cycle through a map and a set', ['let v = new Map(); v.set(v, new Set([v]))'], '[v.has(v), v.get(v).has(v)]'],
  ['shared parts of two names', ['let v = { a: [] }, w = [v.a]'], 'w[0] === v.a'],
  [
    'symbols',
    ["let s = Symbol('s'), v = { [s]: 1, [Symbol.for('t')]: 2, [Symbol.toPrimitive]: () => 3 }"],
    '[v[s], v[Symbol.for("t")], +v, s.description]',
  ],
  ['dates', ['let v = [new Date(5), new Date(NaN)]'], 'v.map(Number).join()'],
  ['a regular expression in the middle', ["let v = /a/g; v.test('aaa')"], "[v.lastIndex, v.test('aaa'), v.lastIndex]"],
  [
    'views of one buffer',
    ['let b = new ArrayBuffer(8), v = new Uint8Array(b, 2, 3), w = new DataView(b, 1); v[0] = 7'],
    '[w.getUint8(1), v.byteOffset, v.length, (v[1] = 9, w.getUint8(2))]',
  ],
  ['buffers', ["let v = Buffer.from('héllo')"], '[v.toString(), Buffer.isBuffer(v)]'],
  ['boxed values', ["let v = [Object(1), Object('ab'), Object(false)]"], 'v.map((x) => typeof x + x.valueOf()).join()'],
  [
    'errors',
    ["class E extends Error { constructor(m) { super(m); this.code = 5 } }\nlet v = new E('bad', { cause: 1 })"],
    '[v instanceof E, v instanceof Error, v.message, v.code, v.stack.split("\\n")[0], Object.keys(v)].join()',
  ],
  [
    'classes that extend a list and a map',
    [
      'class L extends Array { last() { return this.at(-1) } }\nclass M extends Map {}\nlet v = L.from([1, 2]), w = new M([[1, 2]])',
    ],
    '[v.last(), v.length, w instanceof M, w.get(1)]',
  ],
  [
    'static members',
    [
      'class A { static n = 1; static #p() { return 4 } static q() { return A.#p() } static get g() { return this.n + 1 } }\nA.n = 5; A.extra = [A]',
    ],
    '[A.n, A.g, A.extra[0] === A, A.q()]',
  ],
  [
    'a patched method',
    [
      'class A { m() { return 1 } }\nA.prototype.m = function () { return 2 }; A.prototype.n = () => 3; let v = new A()',
    ],
    '[v.m(), v.n(), Object.keys(A.prototype)].join()',
  ],
  [
    'a deleted method',
    ['class A { m() { return 1 } k() {} }\ndelete A.prototype.m; let v = new A()'],
    "['m' in v, 'k' in v]",
  ],
  [
    'an instance of a class that was redefined',
    ['class A { m() { return 1 } }\nlet v = new A()', 'class A { m() { return 2 } }'],
    '[v.m(), new A().m(), v instanceof A]',
  ],
  [
    'methods that use super',
    ['class A { m() { return 1 } }\nclass B extends A { m() { return super.m() + 1 } }\nlet v = new B()'],
    '[v.m(), B.__proto__ === A]',
  ],
  [
    'a constructor function',
    ['function P(x) { this.x = x }\nP.prototype.get = function () { return this.x }; let v = new P(4)'],
    '[v.get(), v.constructor === P]',
  ],
  ['properties of a function', ['function f() { return f.n++ }\nf.n = 1; f()'], 'f() + f.n'],
  [
    'accessors that share a variable',
    [
      'function make() { let n = 1; return { get v() { return n }, set v(x) { n = x } } }\nlet a = make(), b = make(); a.v = 5',
    ],
    '[a.v, b.v, (a.v = 6, a.v), b.v]',
  ],
  [
    'closures of two scopes',
    [
      'function make(k) { let n = 0; const one = () => { n += k; return n }; { let m = 10; return [one, () => { m++; return m + n }] } }\nlet [p, q] = make(3); p(); q()',
    ],
    '[p(), q(), p(), q()]',
  ],
  [
    'closures in a loop',
    ['var fs_ = []; for (let i = 0; i < 3; i++) { let n = i; fs_.push(() => n++ + i) }\nfs_[1]()'],
    'fs_.map((f) => f()).join()',
  ],
  [
    'parameters that change',
    ['function make(n) { return { up() { return ++n }, now: () => n } }\nlet a = make(1), b = make(1); a.up()'],
    '[a.up(), a.now(), b.now(), b.up()]',
  ],
  [
    'a function that replaces itself',
    ['function init() { init = () => 2; return 1 }\nlet v = init'],
    '[init(), init(), v === init]',
  ],
  [
    'recursion through the name',
    [
      'function fact(n) { return n < 2 ? 1 : n * fact(n - 1) }\nlet g = function down(n) { return n ? down(n - 1) : 0 }',
    ],
    '[fact(5), g(3), g.name, fact.name]',
  ],
  [
    'generators and async functions',
    ['function* g() { yield 1 }\nasync function a() { return 2 }\nasync function* ag() { yield 3 }'],
    '[[...g()].join(), (await a()), (await ag().next()).value]',
  ],
  ['settled promises', ['let v = Promise.resolve([1])'], '(await v)[0]'],
  [
    'modules and what they export',
    ["import fs, { readFileSync as r } from 'node:fs'\nconst { join } = require('path'), p = require('path')"],
    "[r === fs.readFileSync, join === p.join, p === require('path'), join('a', 'b')]",
  ],
  [
    'what Node provides',
    ['let v = [Math, Array.prototype.push, console, globalThis, JSON.parse, process, URL]'],
    '[v[0] === Math, v[1] === [].push, v[2] === console, v[3] === globalThis, v[4] === JSON.parse, v[5] === process, v[6] === URL]',
  ],
  [
    'the ways of binding',
    ['var a = 1; let b = 2; c = 3; globalThis.d = 4'],
    "['a', 'b', 'c', 'd'].map((n) => [eval(n), Object.getOwnPropertyDescriptor(globalThis, n)?.configurable]).join()",
  ],
  [
    'the working directory and the environment',
    ["process.chdir('/tmp'); process.env.MINE = 'yes'; process.umask(0o27)"],
    '[process.cwd(), process.env.MINE, process.umask(0)]',
  ],
];

test.for(kept)('keeps %s', async ([, steps, shown]) => {
  await using whole = await openKernel('node');
  for (const code of steps) expect((await whole.run(code)).end.status).toBe('succeeded');
  const archive = await saveState(whole.kernel);
  expect(manifestOf(archive).notSaved).toEqual([]);
  await using after = await openKernel('node');
  const report = await recoverState(after.kernel, { archive });
  expect(report.lost).toEqual([]);
  const expected = await whole.run(shown);
  expect(expected.end.status).toBe('succeeded');
  expect((await after.run(shown)).results).toEqual(expected.results);
});

const refused: readonly [what: string, steps: string[]][] = [
  ['a Proxy', ['let v = new Proxy({}, {})']],
  ['a WeakMap', ['let v = new WeakMap()']],
  ['a WeakRef', ['let v = new WeakRef({})']],
  ['a generator', ['let v = (function* () { yield 1 })()']],
  ['an iterator of a list', ['let v = [1, 2][Symbol.iterator]()']],
  ['an iterator of a map', ['let v = new Map([[1, 2]]).entries()']],
  ['an iterator helper', ['let v = [1].values().map((x) => x)']],
  ['a bound function', ['let v = function () {}.bind(1)']],
  ['a pending promise', ['let v = new Promise(() => {})']],
  ['a rejected promise', ['let v = Promise.reject(1); v.catch(() => {})']],
  ['an object with private members', ['class A { #x = 1; x() { return this.#x } }\nlet v = new A(); A = 0']],
  ['an object of Intl', ["let v = new Intl.NumberFormat('en')"]],
  ['a URL', ["let v = new URL('http://a/')"]],
  ['an emitter', ["let v = new (require('events'))()"]],
  ['a shared buffer', ['let v = new SharedArrayBuffer(8)']],
  ['a buffer that can be resized', ['let v = new ArrayBuffer(8, { maxByteLength: 16 })']],
  [
    'a worker',
    ["let v = new (require('worker_threads').Worker)('', { eval: true }); await new Promise((r) => v.once('exit', r))"],
  ],
  ['a closure that changes a variable without a mark', ['let v = ((n = 0) => () => n++)()']],
  [
    'an arrow function of a field, which uses `this`',
    ['class A { n = [1]; add = (x) => (this.n.push(x), this) }\nlet v = new A()'],
  ],
  [
    'an arrow function with `this` of a function',
    ['let v = (function () { let k = 1; return () => [this.x, k] }).call({ x: 1 })'],
  ],
  ['a list that holds one of these', ['let v = [1, new WeakMap()]']],
];

test.for(refused)('says that it does not keep %s', async ([, steps]) => {
  await using whole = await openKernel('node');
  for (const code of ['let other = { a: 1 }', ...steps]) await whole.run(code);
  const archive = await saveState(whole.kernel);
  expect(manifestOf(archive).notSaved.map(({ name }) => name)).toContain('v');
  await using after = await openKernel('node');
  const report = await recoverState(after.kernel, { archive });
  expect(report.lost.map(({ name }) => name)).toContain('v');
  expect((await after.run('[typeof v, other.a].join()')).results[0]?.data['text/plain']).toBe("'undefined,1'");
});

test('more names than a report can show are saved and recovered, and the lists are short', async () => {
  await using saved = await openKernel('node');
  await saved.run('for (let i = 0; i < 12_000; i += 1) globalThis["v" + i] = i');
  await saved.run(
    'for (let i = 0; i < 12_000; i += 1) Object.defineProperty(globalThis, "p" + i, { get() {}, configurable: true })',
  );
  const archive = await saveState(saved.kernel);
  const manifest = manifestOf(archive);
  expect([manifest.saved.length, manifest.notSaved.length]).toEqual([10_000, 10_000]);
  expect(manifest.notSaved.at(-1)?.name).toBe('*');
  await using recovered = await openKernel('node');
  const report = await recoverState(recovered.kernel, { archive });
  expect([report.restored.length, report.lost.length]).toEqual([10_000, 10_000]);
  expect((await recovered.run('console.log(v0 + v11999)')).stdout).toBe('11999\n');
}, 60_000);
