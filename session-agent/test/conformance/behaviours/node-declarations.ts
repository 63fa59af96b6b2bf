import type { Behaviour } from './run-behaviours.ts';

const repl = 'Node REPL: names of earlier inputs may be declared anew';
const recovered = 'languages/node/README.md: a name whose initializer failed';
const kinds = {
  const: ['const it = 1; it', '1'],
  let: ['let it = 2; it', '2'],
  var: ['var it = 3; it', '3'],
  function: ['function it() {} it', '[Function: it]'],
  class: ['class it {} it', '[class it]'],
} as const;

/** Declares a name in each way after it was declared in each other way. */
const redeclarations: Behaviour[] = Object.entries(kinds).map(([first, [code]]) => ({
  name: `a name declared by ${first} may be declared anew in every way`,
  source: repl,
  steps: Object.values(kinds).flatMap(([other, shown]) => [
    { code, shown: kinds[first as keyof typeof kinds][1] },
    { code: other, shown },
  ]),
}));

/** The life of names from step to step. */
export const declarations: Behaviour[] = [
  ...redeclarations,
  {
    name: 'a name that one step declares twice is a SyntaxError at the second declaration',
    source: 'ECMA-262 16.1.1, early errors of scripts',
    steps: [
      {
        code: 'let a = 1;\nlet a = 2;',
        error: {
          name: 'SyntaxError',
          message: "Identifier 'a' has already been declared",
          traceback: /\[step-1\]:2:5/,
        },
      },
      { code: 'typeof a', shown: "'undefined'" },
      { code: 'var b; let b', error: { name: 'SyntaxError' } },
      { code: 'let a = 3; { let a = 4 } a', shown: '3' },
      { code: 'class a {}; const a = 5', error: { name: 'SyntaxError' } },
      { code: 'a', shown: '3' },
    ],
  },
  {
    name: 'a step may declare a name as var and as function',
    source: 'ECMA-262 16.1.1, early errors of scripts',
    steps: [{ code: 'var f = 1; function f() {} f', shown: '1' }],
  },
  {
    name: 'an assignment to a constant of the same step is a TypeError',
    source: 'ECMA-262 9.1.1.1.5, SetMutableBinding',
    steps: [
      { code: 'const c = 1; c = 2', error: { name: 'TypeError', message: 'Assignment to constant variable.' } },
      { code: 'const d = 0; for (const n of [1]) { d += n }', error: { name: 'TypeError' } },
      { code: 'const e = 0; e++', error: { name: 'TypeError' } },
      { code: 'const f = 0; ((f = 5) => f)()', shown: '5' },
    ],
  },
  {
    name: 'a step may declare a constant of an earlier step anew, but not assign to it',
    source: 'ECMA-262 9.1.1.1.5, SetMutableBinding; Node REPL: names of earlier inputs may be declared anew',
    steps: [
      { code: 'const c = 1; const set = () => { c = 3 }' },
      ...['c = 2', 'c += 1', 'c--', '[c] = [2]', '({ c } = { c: 2 })', 'for (c of [2]);', 'c &&= 2', 'set()'].map(
        (code) => ({
          code,
          error: { name: 'TypeError', message: 'Assignment to constant variable.' },
        }),
      ),
      { code: 'c ||= 2; c', shown: '1' },
      { code: 'let c = 4; c = 5; c', shown: '5' },
    ],
  },
  {
    name: 'a global property that never changes cannot be declared anew',
    source: 'ECMA-262 9.1.1.4.14, HasRestrictedGlobalProperty',
    steps: [
      { code: 'Object.defineProperty(globalThis, "set", { value: 1 }); void 0' },
      ...['const set = 2', 'let other, set', 'class set {}', 'let NaN'].map((code) => ({
        code,
        error: { name: 'SyntaxError', message: /^Identifier '(?:set|NaN)' has already been declared$/ },
      })),
      { code: 'set', shown: '1' },
      { code: 'import { sep as set } from "node:path"; set', shown: "'/'" },
    ],
  },
  {
    name: 'a resource of the top level is there for later steps, and one of a block is disposed at its end',
    source: 'languages/node/README.md: using',
    steps: [
      { code: 'using own = { n: 1, [Symbol.dispose]() { console.log("gone") } }' },
      { code: 'own.n', shown: '1' },
      { code: 'own = 2', error: { name: 'TypeError', message: 'Assignment to constant variable.' } },
      {
        code: '{ await using inner = { async [Symbol.asyncDispose]() { console.log("disposed") } } }',
        stdout: 'disposed\n',
      },
      { code: 'const own = 3; own', shown: '3' },
    ],
  },
  {
    name: 'a constant without a value is a SyntaxError',
    source: 'ECMA-262 14.3.1.1, early errors of lexical declarations',
    steps: [{ code: 'const c', error: { name: 'SyntaxError', message: 'Missing initializer in const declaration' } }],
  },
  {
    name: 'later steps may assign to a constant whose initializer failed, and declare it anew',
    source: recovered,
    steps: [
      { code: 'const x = missing()', error: { name: 'ReferenceError', message: 'missing is not defined' } },
      { code: 'x = 1; x', shown: '1' },
      { code: 'const x = 2; x', shown: '2' },
    ],
  },
  {
    name: 'a class that fails to extend leaves its name free',
    source: recovered,
    steps: [
      { code: 'class A extends missing() {}', error: { name: 'ReferenceError' } },
      { code: 'A', shown: undefined },
      { code: 'class A {}\nnew A()', shown: 'A {}' },
    ],
  },
  {
    name: 'names declared after an error are undefined, and names declared before it have their values',
    source: recovered,
    steps: [
      { code: 'let a = 1; const { b } = null; let c = 3', error: { name: 'TypeError' } },
      { code: '[a, b, c]', shown: '[ 1, undefined, undefined ]' },
    ],
  },
  {
    name: 'later steps may assign to a constant that an interrupt left without a value',
    source: recovered,
    steps: [
      {
        code: 'console.log("up"); const w = await new Promise(() => {})',
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      { code: 'w = 4; w', shown: '4' },
    ],
  },
  {
    name: 'reading a name before its declaration is a ReferenceError',
    source: 'ECMA-262 9.1.1.1.6, GetBindingValue',
    steps: [
      { code: 'late; let late = 1', error: { name: 'ReferenceError' } },
      { code: '{ late; let late = 1 }', error: { name: 'ReferenceError', message: /before initialization$/ } },
    ],
  },
  {
    name: 'functions are hoisted, also over await',
    source: 'ECMA-262 16.1.7, GlobalDeclarationInstantiation',
    steps: [
      { code: 'const v = up(); await null; function up() { return 7 }\nv', shown: '7' },
      { code: 'up()', shown: '7' },
    ],
  },
  {
    name: 'an assignment without a declaration makes a global, unless the step is strict',
    source: 'ECMA-262 6.2.5.6, PutValue',
    steps: [
      { code: 'loose = 5; globalThis.loose', shown: '5' },
      { code: '"use strict"; tight = 5', error: { name: 'ReferenceError', message: 'tight is not defined' } },
    ],
  },
  {
    name: 'patterns declare all their names',
    source: 'ECMA-262 14.3.3, destructuring binding patterns',
    steps: [
      { code: 'const { a, b: [c = 2], ...rest } = { a: 1, b: [], d: 4 }' },
      { code: '[a, c, rest]', shown: '[ 1, 2, { d: 4 } ]' },
      { code: 'var a = 9, rest = 8; [a, rest]', shown: '[ 9, 8 ]' },
    ],
  },
];
