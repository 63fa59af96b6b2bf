import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { manifestOf, recoverState, saveState } from '../support/state.ts';

/** Runs the steps, saves twice, and compares what the expression shows afterwards with what it shows without a loss. */
async function shownAfter(steps: string[], shown: string) {
  await using whole = await openKernel('node');
  for (const code of steps) expect((await whole.run(code)).error).toBeUndefined();
  await using second = await openKernel('node');
  const first = await recoverState(second.kernel, { archive: await saveState(whole.kernel) });
  await using after = await openKernel('node');
  const report = await recoverState(after.kernel, { archive: await saveState(second.kernel) });
  const expected = await whole.run(shown);
  expect(expected.error).toBeUndefined();
  return { lost: [...first.lost, ...report.lost], found: (await after.run(shown)).shown, expected: expected.shown };
}

test.each([
  ['extends another class', ['class A {}\nclass B extends A { m() { return super.toString() } }'], 'String(B)'],
  ['extends a member', ["const ev = require('events'); class B extends ev.EventEmitter {}"], 'String(B)'],
  [
    'extends the result of a call',
    ['class A {}\nconst mix = (X) => class extends X { n() { return 1 } }\nclass B extends mix(A) {}'],
    '[String(B), String(Object.getPrototypeOf(B)), new B().n(), new B() instanceof A]',
  ],
  [
    'extends one of two',
    ['const isOne = true; class A {}\nclass C {}\nclass B extends (isOne ? A : C) {}'],
    '[String(B), new B() instanceof A]',
  ],
  [
    'extends a variable of a function, which it uses',
    [
      'const B = (() => { const A = class { one() { return 1 } }; const get = () => A; return class B extends A { is() { return get() === A } } })()',
    ],
    '[String(B), new B().one(), new B().is()]',
  ],
  [
    'extends a class with the name of a module of Node',
    ['const path = class { hi() { return 1 } }\nclass B extends path {}'],
    '[String(B), new B().hi(), typeof path]',
  ],
  [
    'extends null',
    ['class B extends null { static s() { return 1 } }'],
    '[String(B), B.s(), Object.getPrototypeOf(B.prototype)]',
  ],
  [
    'has static values',
    [
      'class B { static n = 1; static f = () => 2; static m = new Map(); static add() { B.m.set("k", 1) } }\nB.add(); B.n = 5',
    ],
    '[String(B), B.n, B.f(), B.m.size]',
  ],
  [
    'runs code when it is made',
    ['let n = 0; class B { static { n += 1; B.made = n } static at = (n += 1) }'],
    '[n, B.made, B.at]',
  ],
  [
    'has members with the names of well-known symbols',
    [
      'class B { *[Symbol.iterator]() { yield 1 } get [Symbol.toStringTag]() { return "B" } static [Symbol.hasInstance]() { return true } }\nlet b = new B()',
    ],
    '[String(B), ...b, String(b), 1 instanceof B]',
  ],
])('a class that %s comes back with its text', async (_, steps, shown) => {
  const { lost, found, expected } = await shownAfter(steps, shown);
  expect(lost).toEqual([]);
  expect(found).toBe(expected);
});

test('methods of an object with the names of well-known symbols come back', async () => {
  const code =
    'let o = { *[Symbol.iterator]() { yield 1 }, [Symbol.toPrimitive]() { return 4 }, get [Symbol.toStringTag]() { return "O" } }';
  const { lost, found, expected } = await shownAfter([code], '[[...o], +o, Object.prototype.toString.call(o)]');
  expect(lost).toEqual([]);
  expect(found).toBe(expected);
});

test.each([
  ['a private field', 'class A { #x = 1; x() { return this.#x } }\nlet v = new A()', /private members/],
  ['a private method', 'class A { #m() { return 1 } m() { return this.#m() } }\nlet v = new A()', /private members/],
  ['a computed name', 'const k = "m"; class A { [k]() {} }\nlet v = new A()', /computed name/],
  ['a base that `this` tells', 'class A { static sub() { return class extends this {} } }\nlet v = A.sub()', /extends/],
  ['a raw JSON text', 'let v = JSON.rawJSON("1")', /raw JSON/],
  ['bytes that were moved away', 'let v = new ArrayBuffer(8); structuredClone(v, { transfer: [v] })', /moved away/],
])('a value with %s is lost with the reason, and others come back', async (_, code, reason) => {
  await using saved = await openKernel('node');
  await saved.run(`let other = 1;\n${code}`);
  const archive = await saveState(saved.kernel);
  expect(manifestOf(archive).notSaved.find(({ name }) => name === 'v')?.reason).toMatch(reason);
  await using after = await openKernel('node');
  await recoverState(after.kernel, { archive });
  expect((await after.run('[other, typeof v]')).shown).toBe("[ 1, 'undefined' ]");
});

test('more properties of a view come back', async () => {
  const code = 'let v = new Uint8Array(2000); v.tag = [v]; v[Symbol.for("k")] = 1';
  const { lost, found, expected } = await shownAfter([code], '[v.tag[0] === v, v[Symbol.for("k")], v.length]');
  expect(lost).toEqual([]);
  expect(found).toBe(expected);
});
