import { expect, test } from 'vitest';

// By its URL, since the kernel's JavaScript has no types.
const { rewriteConstants, rewriteRedeclaration } = await import(
  new URL('./rewrite-declarations.js', import.meta.url).href
);

test.for([
  ['const a = 1', 'let   a = 1'],
  ['const { a } = b, [c] = d', 'let   { a } = b, [c] = d'],
  ['const a = 1; { const b = 2 } for (const c of d) {}', 'let   a = 1; { const b = 2 } for (const c of d) {}'],
  ['o.const = 1; "const a = 1" // const a = 1', 'o.const = 1; "const a = 1" // const a = 1'],
])('turns a top-level constant into let and keeps the columns: %s', ([source, expected]) => {
  expect(rewriteConstants(source)).toBe(expected);
});

test.for([
  'const a',
  'const a = 1; a = 2',
  'const a = 1\na += 2',
  'const a = 1; function f() { a++ }',
  'const a = 1; if (b) { --a }',
])('leaves a constant that has no value or that its own source assigns to: %s', (source) => {
  expect(rewriteConstants(source)).toBe(source);
});

test.for(['const a = 1; a == 2; a => a; (a = 1) => a; o.a = 2', 'const a = 1; { let a = 2 }'])(
  'turns a constant into let if the source only seems to assign to it: %s',
  (source) => {
    expect(rewriteConstants(source)).toBe(source.replace('const', 'let  '));
  },
);

test.for([
  ['let a = 1; a', 'a', '    a = 1; a'],
  ['var a, b', 'a', '    a = undefined, b'],
  ['const { a } = b', 'a', '0,    { a } = b'],
  ['class A {} new A()', 'A', 'A = class A {}; new A()'],
  ['async function f() {}', 'f', 'f = async function f() {};'],
  ['let a = 1', 'b', null],
])(
  'turns the declaration of a name that must not be declared again into an assignment: %s',
  ([source, name, expected]) => {
    expect(rewriteRedeclaration(source, name)).toBe(expected);
  },
);
