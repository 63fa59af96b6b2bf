// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code of steps has templates.
import { beforeAll, expect, test } from 'vitest';

// By their URLs, since the kernel's JavaScript has no types.
const { loadLibraries } = await import(new URL('../read/load-libraries.js', import.meta.url).href);
const { readStep } = await import(new URL('../read/read-step.js', import.meta.url).href);
const { rewriteStep } = await import(new URL('./rewrite-step.js', import.meta.url).href);

type Names = { constants?: string[]; live?: string[]; taken?: string[] };

async function rewritten(code: string, { constants = [], live = [], taken = [] }: Names = {}): Promise<string> {
  const names = {
    isConstant: (name: string) => constants.includes(name),
    isLive: (name: string) => live.includes(name),
  };
  const reading = readStep(code, { isBound: () => false });
  return rewriteStep(reading, { names, taken: new Set(taken) }).code;
}

const same = (code: string) => [code, code] as const;

beforeAll(loadLibraries);

test.for<readonly [string, string]>([
  ['const a = 1', 'let   a = 1'],
  ['using a = b', 'let   a = b'],
  ['await  using a = b', 'let          a = b'],
  ['const { a } = b, [c] = d', 'let   { a } = b, [c] = d'],
  ['const a = 1; { const b = 2 } for (const c of d) {}', 'let   a = 1; { const b = 2 } for (const c of d) {}'],
  same('o.const = 1; "const a = 1" // const a = 1'),
  same('`const a = 1; ${`const b = 2`}`; /const a = 1/.test("")'),
])('turns a top-level constant into let and keeps the columns: %s', async ([source, expected]) => {
  expect(await rewritten(source)).toBe(expected);
});

test.for<readonly [string, string]>([
  ['c = 1', '$constant$(() => c).value = 1'],
  ['c **= 2, --c', '$constant$(() => c).value **= 2, --$constant$(() => c).value'],
  ['[c, ...c] = []', '[$constant$(() => c).value, ...$constant$(() => c).value] = []'],
  [
    '({ c, d: c = 1, [c]: e } = {})',
    '({ c: $constant$(() => c).value, d: $constant$(() => c).value = 1, [c]: e } = {})',
  ],
  ['({ c = 1 } = {})', '({ c: $constant$(() => c).value = 1 } = {})'],
  [
    'for (c of []); for ([c] in {});',
    'for ($constant$(() => c).value of []); for ([$constant$(() => c).value] in {});',
  ],
  ['() => { c++ }', '() => { $constant$(() => c).value++ }'],
  ['(a = c = 1) => { var c }', '(a = $constant$(() => c).value = 1) => { var c }'],
])('makes an assignment to a constant throw: %s', async ([source, expected]) => {
  expect(await rewritten(source, { constants: ['c'] })).toBe(expected);
});

test.for([
  'o.c = 1; o = { c: 1, c() {} }; class A { c = 1; static c() {} }',
  'function f(c) { c = 1 }',
  '(function c() { c = 1 })',
  '(class c { static { c = 1 } })',
  '{ let c = 1; c = 2 }',
  'for (let c = 0; c < 1; c++);',
  'try {} catch ({ c }) { c = 1 }',
  'switch (0) { case 0: let c; case 1: c = 1 }',
  'function f() { if (0) { var c } c = 1 }',
  'function f() { { function c() {} } c = 1 }',
  'c: for (;;) { break c }',
  'let c; c = 1',
  '"c = 1"; `c = 1`; /c = 1/; // c = 1',
  'with (o) { c = 1 }',
])('leaves an assignment to anything else: %s', async (source) => {
  expect(await rewritten(source, { constants: ['c'] })).toBe(source);
});

test.for<readonly [string, string]>([
  ['var a', 'var {} = (a = void 0, 0); var {} = ( a, 0);'],
  ['let a = 1; a', 'var {} = ( a = 1, 0); a'],
  ['let a, b', 'let b; var {} = ( a = void 0, b = void 0, 0);'],
  ['const { a, b } = c', 'let b; var {} = ( { a, b } = c, 0);'],
  ['class a {} new a()', 'var {} = (a = class a {}, 0); new a()'],
  ['a(); async function a() {}', 'var {} = (a = async function  () {}, 0);a(); '],
  ['for (var a of b);', 'var {} = (a = void 0, 0); for (    a of b);'],
  ['let c = 1', 'let c = 1'],
])('turns the declaration of a name that is taken into an assignment: %s', async ([source, expected]) => {
  expect(await rewritten(source, { taken: ['a'] })).toBe(expected);
});

test.for<readonly [string, string]>([
  ['x; ({ x }); x(); x = 1', '$live$.x; ({ x: $live$.x }); (0, $live$.x)(); $live$.x = 1'],
  ['(x) => x', '(x) => x'],
])('reads an import whose name is taken from its module: %s', async ([source, expected]) => {
  expect(await rewritten(source, { live: ['x'] })).toBe(expected);
});

test.for<readonly [string, string]>([
  ["import('m')", "$impt$('m')"],
  ['import.meta.url', '$importmeta.url'],
  same('"import a from \'m\'"; o.import'),
])('rewrites import in expressions: %s', async ([source, expected]) => {
  expect(await rewritten(source)).toBe(expected);
});

test('import statements become one call at the beginning of the code, and leave their lines', async () => {
  const source =
    "'use strict';\nimport a, /* b */ {\n  b as c, 'd e' as d } from 'm'; import * as n from 'n' with { type: 'json' };\nlast";
  const [first, second, third, last] = (await rewritten(source)).split('\n');
  expect([first, third?.trim(), last]).toEqual(["'use strict';", '', 'last']);
  const [, loads] = /^await \$imports\$\((.*)\);\s*$/.exec(second ?? '') ?? [];
  const binding = { isTaken: false, isOptional: false };
  expect(JSON.parse(String(loads))).toEqual([
    {
      specifier: 'm',
      attributes: null,
      bindings: [
        { name: 'default', local: 'a', ...binding },
        { name: 'b', local: 'c', ...binding },
        { name: 'd e', local: 'd', ...binding },
      ],
    },
    { specifier: 'n', attributes: { type: 'json' }, bindings: [{ name: '*', local: 'n', ...binding }] },
  ]);
});

test.for<readonly [string, string]>([
  ['export const a = 1', '       let   a = 1'],
  ['export default 1 + 1', '               (1 + 1)'],
  ['export default function f() {}', '               function f() {}'],
  ['export { a as b }; a', '                   a'],
])('leaves out export: %s', async ([source, expected]) => {
  expect(await rewritten(source)).toBe(expected);
});

test.for<readonly [string, string]>([
  ['f<T>(x)', 'f   (x)'],
  ['new A<B, C>(x)', 'new A      (x)'],
  ['f<A<B>>`x`', 'f      `x`'],
  ['f /* a */ < T > /* b */ (x)', 'f /* a */       /* b */ (x)'],
  same('a < b && c > d'),
  same('"<a>(b)"; `<p>${a}</p>`; a < (b) ? c => (d) : e'),
])('takes type arguments for what they are: %s', async ([source, expected]) => {
  expect(await rewritten(source)).toBe(expected);
});
