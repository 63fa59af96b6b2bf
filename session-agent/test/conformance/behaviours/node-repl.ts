// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code of steps has templates.
import type { Behaviour, BehaviourStep } from './run-behaviours.ts';

const async = 'nodejs/node: test/parallel/test-repl-top-level-await.js, test-repl-preprocess-top-level-await.js';
const illegalReturn = { name: 'SyntaxError', message: 'Illegal return statement' };

/** A behaviour of inputs that only declare something, followed by what later inputs read. */
const keeps = (
  name: string,
  source: string,
  declarations: readonly string[],
  read: string,
  shown: string,
): Behaviour => ({
  name,
  source,
  steps: [...declarations.map((code): BehaviourStep => ({ code })), { code: read, shown }],
});
const fails = (code: string, message: string | RegExp, source: string): Behaviour => ({
  name: `${code} is a SyntaxError`,
  source,
  steps: [
    { code, error: { name: 'SyntaxError', message } },
    { code: '1 + 1', shown: '2' },
  ],
});

const family = '"\u{1f469}\u200d\u{1f467}"';

/** The behaviours that Node tests its own REPL for, as far as they are about code and not about a terminal. */
export const repl: Behaviour[] = [
  ...(
    [
      ['await 8', '8'],
      ['await 8;', '8'],
      ['await 8;;;', '8'],
      ['(await 8)', '8'],
      ['(await 8);', '8'],
      [`await ${family}; await ${family};`, `'${family.slice(1, -1)}'`],
      ['(await { k: 8 }).k', '8'],
      ['await (await { k: 8 }).k', '8'],
      ['{ k: await 8 }', '{ k: 8 }'],
      ['`${(await { k: 8 }).k}%`', "'8%'"],
      ['class Empty {}; await 8;', '8'],
      ['await 8; function* none() {}', '8'],
      ['await Promise.resolve(7), Promise.resolve(8)', 'Promise { 8 }'],
      ['await Promise.resolve(7), await Promise.resolve(8)', '8'],
      ['await (Promise.resolve(7), Promise.resolve(8))', '8'],
      ['await (async () => { var own = await 8; return own })()', '8'],
    ] as const
  ).map(([code, shown]): Behaviour => ({ name: `${code} shows ${shown}`, source: async, steps: [{ code, shown }] })),
  ...['async function later() { await 8 }', 'class Later { async run() { await 8 } }', 'let waiting;'].map(
    (code): Behaviour => ({ name: `${code} shows nothing`, source: async, steps: [{ code }] }),
  ),
  fails('await 8; return 8;', 'Illegal return statement', async),
  fails('await Promise..all', "Unexpected token '.'", async),
  {
    name: 'a return before an await is a SyntaxError at its own position',
    source: async,
    steps: [{ code: '\nreturn 8; await 9', error: { ...illegalReturn, traceback: /^\[step-1\]:2:1\n/ } }],
  },
  keeps(
    'patterns with await declare their names for later steps',
    async,
    [
      'var {a} = {a: 1}, [b] = [2], {c: {d}} = {c: {d: await 3}}',
      'let {e: [f]} = {e: [await 4]}, [{g}] = [{g: 5}]',
      'var { h, ...rest } = await { h: 6, i: 7 }',
    ],
    '[a, b, d, f, g, h, rest]',
    '[ 1, 2, 3, 4, 5, 6, { i: 7 } ]',
  ),
  keeps(
    'declarations of every kind in one step with await stay',
    async,
    ['var v = await 1; let l = 2, none; const c = 3; class K {} function f() {}'],
    '[v, l, none, c, K, f]',
    '[ 1, 2, undefined, 3, [class K], [Function: f] ]',
  ),
  keeps(
    'an await may stand on a line of its own, before the function that it waits for is declared',
    async,
    ['const sum = twice(await\nfour()); function twice(n) { return 2 * n } async function four() { return 4 }'],
    '[sum, typeof twice, typeof four]',
    "[ 8, 'function', 'function' ]",
  ),
  keeps(
    'blocks with await give var and functions to later steps, and nothing else',
    async,
    ['if (await true) { var seen = 1; function made() {} class Hidden {} let unseen = 2; const gone = 3 }; void 0'],
    '[seen, typeof made, typeof Hidden, typeof unseen, typeof gone]',
    "[ 1, 'function', 'undefined', 'undefined', 'undefined' ]",
  ),
  ...(
    [
      ['for (var n = 0; n < 3; ++n) { await n } void 0', 'n', '3'],
      ['for (var [p, { q }] of [[1, { q: 2 }]]) { await p } void 0', '[p, q]', '[ 1, 2 ]'],
      ['for (var [s, t] in { xy: 1 }) { await s } void 0', 's + t', "'xy'"],
      ['for await (var [{ u }, [w]] of [Promise.resolve([{ u: 1 }, [2]])]) { u } void 0', '[u, w]', '[ 1, 2 ]'],
    ] as const
  ).map(([code, read, shown]) => keeps(`${code} leaves ${shown}`, async, [code], read, shown)),
  ...['let', 'const'].flatMap((kind) =>
    [
      `for (${kind} m of [1]) await m; void 0`,
      `for (${kind} m in { k: 1 }) { await m } void 0`,
      `for await (${kind} m of [1]) { m } void 0`,
    ].map(
      (code): Behaviour => ({
        name: `${code} leaves no name`,
        source: async,
        steps: [{ code }, { code: 'm', error: { name: 'ReferenceError', message: 'm is not defined' } }],
      }),
    ),
  ),
  {
    name: 'an interrupt ends an await that never ends',
    source: async,
    steps: [
      {
        code: 'console.log("up"); await new Promise(() => {})',
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      { code: 'await 8', shown: '8' },
    ],
  },
  {
    name: '_ stays what code has assigned or declared, and functions may have their own',
    source: 'nodejs/node: test/parallel/test-repl-underscore.js',
    steps: [
      { code: '_' },
      { code: 'var x = 1' },
      { code: '_' },
      { code: 'x = 2', shown: '2' },
      { code: '_', shown: '2' },
      { code: 'let _ = 3' },
      { code: '_', shown: '3' },
      { code: '_ = 4', shown: '4' },
      { code: 'var y = 5; y', shown: '5' },
      { code: '_', shown: '4' },
      { code: 'function own() { let _ = 6; return _ } own()', shown: '6' },
      { code: '_', shown: '4' },
    ],
  },
  {
    name: 'names of Node may be declared anew, also process',
    source: 'nodejs/node: test/parallel/test-repl-let-process.js, test-repl-use-global.js, test-repl.js',
    steps: [
      { code: 'let process' },
      { code: 'typeof process', shown: "'undefined'" },
      { code: '21 * 2', shown: '42' },
      { code: 'var path = 42; path', shown: '42' },
      { code: 'url.parse.name', shown: "'urlParse'" },
    ],
  },
  {
    name: 'a function in front of an expression in parentheses is declared, and the expression is the value',
    source: 'nodejs/node: test/parallel/test-repl-function-definition-edge-case.js',
    steps: [
      { code: 'function up() { return 42 } (1)', shown: '1' },
      { code: 'up.toString()', shown: "'function up() { return 42 }'" },
    ],
  },
  {
    name: 'code runs sloppily, unless it asks for the strict mode',
    source: 'nodejs/node: test/parallel/test-repl-mode.js, test-repl.js',
    steps: [
      { code: 'free = 3', shown: '3' },
      { code: '"use strict"; tight = 3', error: { name: 'ReferenceError' } },
      ...(
        [
          ['return 0777', /^Octal literals/],
          ['with (this) {}', /^Strict mode code may not include a with/],
          ['var own; delete own', /^Delete of an unqualified identifier/],
          ['eval = 1', /^Unexpected eval or arguments/],
          ['if (1) function f() {}', /^In strict mode code, functions/],
        ] as const
      ).map(
        ([body, message]): BehaviourStep => ({
          code: `(function () { "use strict"; ${body} })()`,
          error: { name: 'SyntaxError', message },
        }),
      ),
      { code: '(function (a, a) { "use strict" })', error: { name: 'SyntaxError', message: /^Duplicate parameter/ } },
    ],
  },
  fails('/(/', /Unterminated group/, 'nodejs/node: test/parallel/test-repl.js'),
  fails('new RegExp("a", "none")', /^Invalid flags/, 'nodejs/node: test/parallel/test-repl.js'),
  fails('JSON.parse("{")', /JSON/, 'nodejs/node: test/parallel/test-repl.js'),
  fails('eval("function half() {")', 'Unexpected end of input', 'nodejs/node: test/parallel/test-repl.js'),
  fails('[] \\', 'Invalid or unexpected token', 'nodejs/node: test/parallel/test-repl.js'),
  ...(
    [
      ['.5', '0.5'],
      ['.5+.5', '1'],
      ['`a ${"b"\n+ "c"}`', "'a bc'"],
      ['("a"\n.charAt(0))', "'a'"],
      ["'one\\\n two'", "'one two'"],
      ['{\n\na: 1\n}', '{ a: 1 }'],
      ['{};1', '1'],
      ['{ b: 1 }["b"] === 1', 'true'],
      [' { b: 1 }["b"] === 1;', 'false'],
      ['var list = [1, () => {}]; list.pop()', '[Function (anonymous)]'],
      ['/(.)(.)/.test("xy"); RegExp.$2', "'y'"],
      ['"//"', "'//'"],
      ['"a /*b*/ c"', "'a /*b*/ c'"],
    ] as const
  ).map(
    ([code, shown]): Behaviour => ({
      name: `${JSON.stringify(code)} shows ${shown}`,
      source: 'nodejs/node: test/parallel/test-repl.js, test-repl-preview-without-inspector.js',
      steps: [{ code, shown }],
    }),
  ),
  ...['', '\n\r\n', '// /* one */', '/* \'\n"\n*/', 'function quoted(/* don\'t */) {\n//"\n}'].map(
    (code): Behaviour => ({
      name: `${JSON.stringify(code)} shows nothing`,
      source: 'nodejs/node: test/parallel/test-repl.js',
      steps: [{ code }],
    }),
  ),
  {
    name: 'anything may be thrown, and the next step runs',
    source: 'nodejs/node: test/parallel/test-repl-throw-null-or-undefined.js, test-repl-uncaught-exception.js',
    steps: [
      { code: 'throw null', error: { name: 'Uncaught', message: 'null' } },
      { code: 'throw undefined', error: { name: 'Uncaught', message: 'undefined' } },
      { code: 'throw { why: "this" }', error: { name: 'Uncaught', message: "{ why: 'this' }" } },
      { code: 'missing', error: { name: 'ReferenceError', message: 'missing is not defined' } },
      { code: '1 + 1', shown: '2' },
    ],
  },
  {
    name: 'an error of a step is its result also if code listens for uncaught ones',
    source: 'languages/node/README.md; unlike nodejs/node: test/parallel/test-repl-uncaught-exception-standalone.js',
    steps: [
      { code: 'process.on("uncaughtException", () => console.log("heard")); void 0' },
      { code: 'missing', error: { name: 'ReferenceError' } },
      { code: 'process.nextTick(() => { throw new Error("later") }); await 1', shown: '1', stdout: 'heard\n' },
    ],
  },
  {
    name: 'modules are found from the working directory, by import() and by require',
    source:
      'nodejs/node: test/parallel/test-repl-dynamic-import.js, test-repl-import-referrer.js, test-repl-require.js',
    files: { 'told.mjs': 'export const told = "so";', 'told.cjs': 'module.exports = "then";' },
    steps: [
      { code: 'await import("./told.mjs")', shown: "[Module: null prototype] { told: 'so' }" },
      { code: 'import("./told.mjs").then(console.log); void 0', stdout: "[Module: null prototype] { told: 'so' }\n" },
      { code: 'require("./told.cjs")', shown: "'then'" },
      { code: 'require("internal/repl")', error: { name: 'Error', message: /^Cannot find module 'internal\/repl'/ } },
    ],
  },
  {
    name: 'code may add accessors to the prototype of arrays',
    source: 'nodejs/node: test/parallel/test-repl-array-prototype-tempering.js',
    steps: [
      { code: 'Object.defineProperty(Array.prototype, "-1", { get() { return this[this.length - 1] } }); void 0' },
      { code: '[3, 2, 1][-1]', shown: '1' },
      { code: 'const last = [5, 4][-1]; last', shown: '4' },
    ],
  },
  {
    name: 'stacks have the frames of steps alone, and errors their properties',
    source: 'nodejs/node: test/parallel/test-repl-pretty-stack.js',
    steps: [
      { code: 'let x y;', error: { name: 'SyntaxError', traceback: /^\[step-1\]:1:7\nlet x y;\n {6}\^\n/ } },
      {
        code: '(() => { throw Object.assign(Error("no"), { why: 1 }) })()',
        error: { name: 'Error', traceback: /\nError: no\n( {4}at \[step-2\]:1:\d+\n?){2} \{\n {2}why: 1\n\}$/ },
      },
    ],
  },
];
