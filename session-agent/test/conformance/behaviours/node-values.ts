import type { Behaviour } from './run-behaviours.ts';

const repl = 'Node REPL: the value of the last expression, by util.inspect';
const completion = 'ECMA-262 14, completion values of statements';
const shows = (code: string, shown: string | RegExp | undefined, source = repl): Behaviour => ({
  name: `${code.replaceAll('\n', ' ')} shows ${shown ?? 'nothing'}`,
  source,
  steps: [{ code, shown }],
});

/** The value of a step, and its text. */
export const values: Behaviour[] = [
  shows('undefined', undefined),
  shows('null', 'null'),
  shows('let x = 1', undefined, completion),
  shows('1; var q = 2', '1', completion),
  shows('if (true) { 5 }', '5', completion),
  shows('function f() {}', undefined, completion),
  shows('try { 1 } finally { 2 }', '1', completion),
  shows('for (let i = 0; i < 3; i++) i', '2', completion),
  shows('{ a: 1 }', '{ a: 1 }', 'Node REPL: braces that make an object literal'),
  shows('{ let a = 1; a + 1 }', '2', 'Node REPL: other braces are a block'),
  shows('{}', '{}', 'Node REPL: braces that make an object literal'),
  shows('{ a: 1 };', '1', 'Node REPL: with a semicolon braces are a block'),
  shows('-0', '-0'),
  shows('12345678901234567890n', '12345678901234567890n'),
  shows('"it\'s"', '"it\'s"'),
  shows('Symbol("s")', 'Symbol(s)'),
  shows('/a+/gi', '/a+/gi'),
  shows('new Date(0)', '1970-01-01T00:00:00.000Z'),
  shows('(a, b) => a', '[Function (anonymous)]'),
  shows('(class A extends Map {})', '[class A extends Map]'),
  shows('async function* g() {} g', '[AsyncGeneratorFunction: g]'),
  shows('new Map([[{ k: 1 }, new Set([2])]])', 'Map(1) { { k: 1 } => Set(1) { 2 } }'),
  shows('({ a: { b: { c: { d: 1 } } } })', /c: \[Object\]/),
  shows('Array.from({ length: 101 }, () => 0)', /\.\.\. 1 more item/),
  shows('[, 1]', '[ <1 empty item>, 1 ]'),
  shows('const o = {}; o.self = o; o', '<ref *1> { self: [Circular *1] }'),
  shows('new (class Box { #hidden = 1; open = 2 })', 'Box { open: 2 }'),
  shows('Object.create(null, { k: { value: 1, enumerable: true } })', '[Object: null prototype] { k: 1 }'),
  shows('({ get g() { process.exit(9) }, set s(v) {} })', '{ g: [Getter], s: [Setter] }'),
  shows('new Proxy({ a: 1 }, { get() { process.exit(9) } })', 'Proxy [ { a: 1 }, { get: [Function: get] } ]'),
  shows('({ [Symbol.for("nodejs.util.inspect.custom")]: () => "mine" })', 'mine', 'Node util: custom inspection'),
  shows('Buffer.from("hi")', '<Buffer 68 69>'),
  shows('new Error("shown, not thrown").message', "'shown, not thrown'"),
  shows('Promise.resolve(4)', 'Promise { 4 }'),
  shows('await Promise.resolve(4)', '4', 'Node REPL: top-level await'),
  shows('[...new Uint8Array(2)]', '[ 0, 0 ]'),
  shows('new Uint8Array(2)', 'Uint8Array(2) [ 0, 0 ]'),
  shows('"😀".repeat(2)', "'😀😀'"),
  shows('typeof globalThis.window', "'undefined'"),
  {
    name: 'a step ends when the promise of its last call has settled',
    source: 'languages/node/README.md',
    steps: [
      {
        code: 'const later = (ms) => new Promise((r) => setTimeout(r, ms));\nasync function main() { console.log("begin"); await later(20); console.log("end"); return 5 }\nmain();',
        stdout: 'begin\nend\n',
        shown: 'Promise { 5 }',
      },
      {
        code: '(async () => { await later(5); console.log("inside") })()',
        stdout: 'inside\n',
        shown: 'Promise { undefined }',
      },
      {
        code: 'main().then(() => { throw new RangeError("out") }).catch((e) => console.error(e.message));',
        stdout: 'begin\nend\n',
        stderr: 'out\n',
        shown: 'Promise { undefined }',
      },
      { code: 'main?.()\n// as a program ends', stdout: 'begin\nend\n', shown: 'Promise { 5 }' },
      { code: 'enum Kind { One }; main()', stdout: 'begin\nend\n', shown: 'Promise { 5 }' },
    ],
  },
  {
    name: 'a rejection of the last call’s promise fails the step, at once or later',
    source: 'languages/node/README.md',
    steps: [
      {
        code: 'async function fails(ms) { if (ms) await new Promise((r) => setTimeout(r, ms)); throw new RangeError("out") }\nfails(0)',
        error: { name: 'RangeError', message: 'out' },
      },
      { code: 'fails(5)', error: { name: 'RangeError', message: 'out' } },
      { code: '_error.message', shown: "'out'" },
    ],
  },
  {
    name: 'a promise that no call has returned is shown as it is',
    source: 'languages/node/README.md',
    steps: [
      { code: 'const never = new Promise(() => {}); never', shown: 'Promise { <pending> }' },
      { code: 'new Promise(() => {})', shown: 'Promise { <pending> }' },
      { code: 'let called = (async () => never)(); 1', shown: '1' },
      { code: 'Promise.resolve(2)', shown: 'Promise { 2 }' },
    ],
  },
  {
    name: 'an interrupt ends a step whose last call never settles',
    source: 'languages/node/README.md',
    steps: [
      {
        code: 'async function main() { console.log("up"); await new Promise(() => {}) }\nmain()',
        stdout: 'up\n',
        interruptAt: 'up',
        status: 'interrupted',
      },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'for await runs at top level',
    source: 'Node REPL: top-level await',
    steps: [{ code: 'for await (const v of [1, Promise.resolve(2)]) console.log(v)', stdout: '1\n2\n' }],
  },
  {
    name: '_ is the last value and _error the last error, until code assigns something else',
    source: 'Node REPL: assignment of the _ variable',
    steps: [
      { code: '6 * 7', shown: '42' },
      { code: '_ + 1', shown: '43' },
      { code: 'throw new Error("kept")', error: { name: 'Error' } },
      { code: '_error.message', shown: "'kept'" },
      { code: '_ = "own"', shown: "'own'" },
      { code: '1', shown: '1' },
      { code: '_', shown: "'own'" },
      { code: 'const _ = 5; _', shown: '5' },
    ],
  },
  {
    name: 'an inspection that throws fails the step with its error',
    source: 'Node util: custom inspection',
    steps: [
      {
        code: '({ [Symbol.for("nodejs.util.inspect.custom")]() { throw new RangeError("unseen") } })',
        error: { name: 'RangeError', message: 'unseen' },
      },
    ],
  },
];
