import type { Behaviour } from './run-behaviours.ts';

const uncaught = 'Node: the text of an error that ends a program';

/** Descriptions of errors. An error ends its step and nothing else. */
export const errors: Behaviour[] = [
  {
    name: 'an error shows its line with a caret and frames in earlier steps, and none of the kernel’s frames',
    source: uncaught,
    steps: [
      { code: 'function inner() {\n  throw new TypeError("no")\n}' },
      {
        code: 'inner()',
        error: {
          name: 'TypeError',
          message: 'no',
          traceback:
            /^\[step-1\]:2\n {2}throw new TypeError\("no"\)\n {8}\^\n\nTypeError: no\n {4}at inner \(\[step-1\]:2:9\)\n {4}at \[step-2\]:1:1$/,
        },
      },
    ],
  },
  {
    name: 'a SyntaxError shows its line with a caret',
    source: uncaught,
    steps: [
      {
        code: 'let ok = 1;\nlet bad = = 2;',
        error: {
          name: 'SyntaxError',
          message: "Unexpected token '='",
          traceback: /^\[step-1\]:2:11\nlet bad = = 2;\n {10}\^\n/,
        },
      },
    ],
  },
  {
    name: 'an error has its true position behind await, imports and constants',
    source: uncaught,
    steps: [
      {
        code: "import fs from 'node:fs';\nconst a = await 1; const b = a.missing.field;",
        error: { name: 'TypeError', traceback: /\[step-1\]:2:40/ },
      },
    ],
  },
  {
    name: 'an error shows its causes and properties',
    source: 'Node util.inspect of errors; ECMA-262 20.5.8.1, InstallErrorCause',
    steps: [
      {
        code: 'throw Object.assign(new Error("outer", { cause: new TypeError("inner") }), { code: "E_OUTER" })',
        error: { name: 'Error', message: 'outer', traceback: /code: 'E_OUTER'[\s\S]*\[cause\]: TypeError: inner/ },
      },
    ],
  },
  {
    name: 'an AggregateError shows all its errors',
    source: 'Node util.inspect of errors; ECMA-262 20.5.7',
    steps: [
      {
        code: 'await Promise.any([Promise.reject(new Error("one")), Promise.reject(new Error("two"))])',
        error: { name: 'AggregateError', traceback: /\[errors\]: \[\s+Error: one[\s\S]*Error: two/ },
      },
    ],
  },
  ...['5', 'null', 'undefined', "'text'", '{ a: 1 }', 'Symbol(s)', '[ 1, 2 ]', '10n'].map(
    (shown): Behaviour => ({
      name: `a step may throw ${shown}`,
      source: 'Node REPL: Uncaught and the value',
      steps: [
        {
          code: `throw (${shown.replace('(s)', '("s")')})`,
          error: { name: 'Uncaught', message: shown, traceback: /^Uncaught / },
        },
      ],
    }),
  ),
  {
    name: 'an error of the code’s own class has its name',
    source: 'ECMA-262 20.5.3.3, Error.prototype.name',
    steps: [
      {
        code: 'class Lost extends Error { name = "Lost"; where = "sea" }\nthrow new Lost("gone")',
        error: { name: 'Lost', message: 'gone', traceback: /where: 'sea'/ },
      },
    ],
  },
  {
    name: 'a DOMException is an error with its name',
    source: 'Web IDL: DOMException',
    steps: [
      {
        code: 'AbortSignal.abort().throwIfAborted()',
        error: { name: 'AbortError', message: 'This operation was aborted' },
      },
    ],
  },
  {
    name: 'an endless recursion is a RangeError',
    source: 'Node: Maximum call stack size exceeded',
    steps: [
      {
        code: 'let kept = 1; function down() { down() }\ndown()',
        error: { name: 'RangeError', message: 'Maximum call stack size exceeded' },
      },
      { code: 'kept', shown: '1' },
    ],
  },
  {
    name: 'errors of Node have their codes',
    source: 'Node errors: error.code',
    steps: [
      {
        code: 'require("fs").readFileSync("missing.txt")',
        error: { name: 'Error', message: /^ENOENT/, traceback: /code: 'ENOENT'/ },
      },
    ],
  },
  {
    name: 'console.trace shows none of the kernel’s frames',
    source: 'Node console.trace; languages/README.md',
    steps: [{ code: 'console.trace("here")', stderr: /^Trace: here\n {4}at \[step-1\]:1:9\n$/ }],
  },
  {
    name: 'an unhandled rejection is reported in its step, which goes on',
    source: 'Node process: unhandledRejection',
    steps: [
      {
        code: 'let kept = 1; Promise.reject(new Error("alone")); kept',
        shown: '1',
        stderr: /^Unhandled rejection: [\s\S]*Error: alone/,
      },
      { code: 'kept', shown: '1' },
    ],
  },
  {
    name: 'an error for which code has a listener is not reported',
    source: 'Node process: uncaughtException, unhandledRejection',
    steps: [
      {
        code: 'process.on("unhandledRejection", ({ message }) => console.log("rejected:", message)); Promise.reject(new Error("one")); 1',
        shown: '1',
        stdout: 'rejected: one\n',
      },
      {
        code: 'process.once("uncaughtException", ({ message }) => console.log("thrown:", message)); setTimeout(() => { throw new Error("two") }); await new Promise((r) => setTimeout(r, 9))',
        stdout: 'thrown: two\n',
      },
      {
        code: 'setTimeout(() => { throw new Error("three") }); await new Promise((r) => setTimeout(r, 9))',
        stderr: /^Uncaught Error: three/,
      },
      { code: 'process.removeAllListeners("unhandledRejection"); 2', shown: '2' },
      { code: 'Promise.reject(new Error("four")); 3', shown: '3', stderr: /^Unhandled rejection: Error: four/ },
    ],
  },
  {
    name: 'an error shows its line without its end, whichever line ends the code has',
    source: 'ECMA-262 12.3, line terminators',
    steps: [
      {
        code: 'let a = 1\r\nmissing()\r\na',
        error: { name: 'ReferenceError', traceback: /^\[step-1\]:2\nmissing\(\)\n\^\n/ },
      },
      {
        code: 'a = 2\rlet b c\r',
        error: { name: 'SyntaxError', traceback: /^\[step-2\]:2:7\nlet b c\n {6}\^\n/ },
      },
      { code: '`\u2028`; none', error: { name: 'ReferenceError', traceback: /^\[step-3\]:2\n`; none\n {3}\^\n/ } },
    ],
  },
  {
    name: 'an error with properties shows its line, and not that of an error that it contains',
    source: 'Node errors: the line and a caret come before an error that ends a program',
    steps: [
      {
        code: 'throw Object.assign(new Error("bare"), { code: "E_BARE" })',
        error: { name: 'Error', traceback: /^\[step-1\]:1\nthrow .*\n {20}\^\n/ },
      },
      {
        code: 'throw new AggregateError([\nnew Error("inner")], "outer")',
        error: { name: 'AggregateError', traceback: /^\[step-2\]:1\nthrow / },
      },
    ],
  },
  {
    name: 'an error after the end of its step is reported as background output of that step',
    source: 'Node process: uncaughtException; languages/README.md',
    steps: [
      {
        code: 'setTimeout(() => { throw new Error("late") }, 5); 1',
        shown: '1',
        background: /^Uncaught [\s\S]*Error: late/,
      },
      { code: 'setTimeout(() => Promise.reject(new Error("later")), 5); 2', shown: '2', background: /Error: later/ },
      { code: 'require("fs").readFile("missing", (error) => { throw error }); 3', shown: '3', background: /ENOENT/ },
    ],
  },
];
