import type { Behaviour } from './run-behaviours.ts';

const source =
  'languages/README.md: the agent trusts no message of a kernel; languages/node/README.md: the kernel has a realm of its own';
const afterwards = [
  { code: 'import { sep } from "node:path"; const after: number = 1; sep', shown: "'/'" },
  {
    code: 'console.log("heard"); throw new Error("as ever")',
    stdout: 'heard\n',
    error: { name: 'Error', message: 'as ever' },
  },
] as const;
const survives = (name: string, code: string, expected: Partial<Behaviour['steps'][number]> = {}): Behaviour => ({
  name,
  source,
  steps: [{ code: `${code}; undefined`, ...expected }, { code: '1 + 1', shown: '2' }, afterwards[1]],
});
const dies = (name: string, code: string, step: Partial<Behaviour['steps'][number]>): Behaviour => ({
  name,
  source,
  steps: [{ code, status: 'died', ...step }],
});

/** Attacks of code on the interpreter that runs it. The kernel goes on to work, or dies with a cause. */
export const hostile: Behaviour[] = [
  survives(
    'code may replace methods of prototypes, except pop, which Node itself calls',
    `for (const of of [Array, Map, Set, RegExp, Promise]) {
  for (const key of Object.getOwnPropertyNames(of.prototype)) {
    if (key !== 'constructor' && key !== 'pop' && typeof Object.getOwnPropertyDescriptor(of.prototype, key).value === 'function') of.prototype[key] = () => { throw 'replaced' }
  }
}`,
  ),
  survives('code may break iteration', 'Array.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] = null'),
  survives(
    'code may give every object odd members',
    'for (const key of ["then", "toJSON", "type", "exceptionDetails", "stdin", "env", "streams"]) Object.defineProperty(Object.prototype, key, { configurable: true, get() { return undefined }, set() {} })',
  ),
  survives(
    'code may replace JSON, Buffer and Reflect',
    'JSON.stringify = JSON.parse = () => "{}"; Buffer.from = Buffer.concat = () => null; Reflect.apply = Reflect.ownKeys = () => 0',
  ),
  survives(
    'code may replace events and streams',
    'const { EventEmitter } = require("events"); const { Readable, Writable } = require("stream"); require("net").Socket.prototype.read = Readable.prototype.read = () => null; EventEmitter.prototype.listenerCount = () => 1',
  ),
  survives(
    'code may use and replace the inspector',
    'const inspector = require("inspector"); const s = new inspector.Session(); s.connect(); s.post("Runtime.enable"); s.disconnect(); inspector.Session.prototype.post = () => {}',
  ),
  survives(
    'code may delete globals',
    'for (const key of ["process", "Buffer", "queueMicrotask", "setTimeout", "Promise", "Symbol", "$impt$", "URL"]) delete globalThis[key]',
  ),
  ...[
    'toJSON',
    'params',
    'error',
    'id',
    'method',
    'result',
    'exceptionDetails',
    'objectId',
    'value',
    'get',
    'set',
    'type',
  ].map((key) =>
    survives(
      `code may give all objects a ${key} that is a function`,
      `Object.defineProperty(Object.prototype, '${key}', { configurable: false, writable: true, value: () => { throw 'mine' } })`,
    ),
  ),
  survives(
    'code may make all messages of Node’s own inspector fail',
    'for (const of of [Object, Array, String, Number, BigInt, Function]) of.prototype.toJSON = () => { throw "mine" }; JSON.stringify = JSON.parse = () => { throw "mine" }',
  ),
  survives(
    'code may break promises and the process',
    'Promise.resolve = Promise.prototype.finally = () => { throw "mine" }; process.binding = process.emit = () => { throw "mine" }; globalThis.queueMicrotask = globalThis.Promise = null',
  ),
  ...['() => {}', '() => { throw "mine" }', 'null'].map((replacement) =>
    survives(
      `code may replace process.emit, process.nextTick and then together by ${replacement}`,
      `process.emit = process.nextTick = Promise.prototype.then = ${replacement}`,
    ),
  ),
  survives(
    'code may make instanceof fail',
    'for (const of of [Object, Array, Promise, Error, Map, Set, Buffer, Uint8Array]) Object.defineProperty(of, Symbol.hasInstance, { value() { throw "mine" } })',
  ),
  survives(
    'code may make listenerCount fail',
    'process.listenerCount = process.prependListener = process.on = () => { throw "mine" }',
  ),
  {
    name: 'a step whose promise cannot be awaited fails, and is not an interrupted one',
    source,
    steps: [
      { code: 'Promise.prototype.constructor = null; 0', error: { name: 'Error', message: /Promise/ } },
      { code: '1', error: { name: 'Error' } },
    ],
  },
  {
    name: 'code that breaks promises before anything else does not keep later steps from being rewritten',
    source,
    steps: [
      { code: 'Promise.prototype.then = () => { throw "mine" }', shown: '[Function (anonymous)]' },
      { code: 'const a = await 5; a', shown: '5' },
      { code: 'const a = 6; a', shown: '6' },
    ],
  },
  survives('code may remove listeners', 'process.removeAllListeners()'),
  survives(
    'an error may run its own code when it is shown',
    'undefined; throw new Proxy(new Error("x"), { get() { process.exit(9) }, getPrototypeOf() { process.exit(9) } })',
    { error: { name: 'Uncaught' } },
  ),
  survives(
    'an error may have getters that throw',
    'throw Object.defineProperties(new Error("x"), { message: { get() { throw 1 } }, name: { get() { throw 2 } }, stack: { get() { throw 3 } } })',
    { error: { name: 'Error' } },
  ),
  survives(
    'Error.prepareStackTrace may fail',
    'Error.prepareStackTrace = () => { throw new Error("none") }; Error.stackTraceLimit = 0',
  ),
  {
    name: 'long values, errors and names are cut to a bounded length',
    source,
    steps: [
      { code: '"x".repeat(3e6)', shown: /^'x{1000}[\s\S]{0,1100000}$/ },
      { code: 'new Array(1e7).fill(0)', shown: /more items/ },
      { code: 'throw new Error("m".repeat(1e6))', error: { name: 'Error', message: /^m{65536}$/ } },
    ],
  },
  dies('a kernel that closes its channel dies', 'require("fs").closeSync(3); for (;;);', {
    cause: { code: 'kernel_killed' },
  }),
  dies('abort ends the context with its signal as the cause', 'process.abort()', {
    cause: { code: 'kernel_killed', signal: 'SIGABRT' },
    stderr: /^/,
  }),
  dies('a full heap is reported on stderr', 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length))', {
    stderr: /heap out of memory/,
    cause: { code: 'kernel_killed', signal: 'SIGABRT' },
  }),
];
