import type { Behaviour } from './run-behaviours.ts';

const imports = 'ECMA-262 16.2.2, imports; Node: ECMAScript modules';
const files = {
  'own.mjs': 'export const a = 1; export default 2; export { a as "a name" };',
  'typed.ts': 'export type T = { t: number }; export const t: number = 3;',
  'data.json': '{"d": 4}',
  'common.cjs': 'module.exports = { five: 5, here: __filename };',
  'failing.mjs': 'throw new Error("while loading")',
};
const inFiles = (name: string, steps: Behaviour['steps'], source = imports): Behaviour => ({
  name,
  source,
  files,
  steps,
});

/** Loads modules in every way, from the working directory. */
export const modules: Behaviour[] = [
  inFiles('import binds the default, names, renamed names and the namespace', [
    {
      code: "import two, { a, a as one } from './own.mjs'; import * as all from './own.mjs'; [two, a, one, all.a]",
      shown: '[ 2, 1, 1, 1 ]',
    },
    { code: "import again, * as rest from './own.mjs'; [again, rest.default]", shown: '[ 2, 2 ]' },
    { code: "import { default as byName, 'a name' as text } from './own.mjs'; [byName, text]", shown: '[ 2, 1 ]' },
  ]),
  inFiles('a step may import or declare an imported name anew', [
    { code: "import { a } from './own.mjs'" },
    { code: "import { t as a } from './typed.ts'; a", shown: '3' },
    { code: 'const a = 9; a', shown: '9' },
  ]),
  inFiles('import for its effect alone shows nothing', [{ code: "import './own.mjs'" }]),
  inFiles('an import over several lines does not move the lines after it', [
    {
      code: "import {\n  a, // one\n  default as two,\n} from './own.mjs'\nmissing",
      error: { name: 'ReferenceError', traceback: /\[step-1\]:5:1/ },
    },
  ]),
  inFiles('a name that a module does not export is a SyntaxError', [
    {
      code: "import { nope } from './own.mjs'",
      error: {
        name: 'SyntaxError',
        message: "The requested module './own.mjs' does not provide an export named 'nope'",
      },
    },
  ]),
  inFiles('a missing module is an error that names it', [
    {
      code: "import nothing from './nothing.mjs'",
      error: { name: 'Error', message: /nothing\.mjs/, traceback: /ERR_MODULE_NOT_FOUND/ },
    },
  ]),
  inFiles('a module that fails while it loads fails the step with its error', [
    {
      code: "await import('./failing.mjs')",
      error: { name: 'Error', message: 'while loading', traceback: /failing\.mjs:1:7/ },
    },
  ]),
  inFiles('import loads JSON with its attribute, and not without', [
    { code: "import data from './data.json' with { type: 'json' }; data", shown: '{ d: 4 }' },
    { code: "import data from './data.json'", error: { name: 'TypeError', message: /type: json/ } },
    { code: "(await import('./data.json', { with: { type: 'json' } })).default.d", shown: '4' },
    { code: "require('./data.json').d", shown: '4' },
  ]),
  inFiles('import() returns a promise of the namespace, also inside functions', [
    { code: "const load = async () => (await import('./own.mjs')).default; await load()", shown: '2' },
    { code: "import('./own.mjs').then(({ a }) => console.log(a)); undefined", stdout: '1\n' },
  ]),
  inFiles('import loads TypeScript files without their types', [
    { code: "import { t, type T } from './typed.ts'; const v: T = { t }; v", shown: '{ t: 3 }' },
    { code: "import type { T as U } from './typed.ts'; let u: U | null = null; u", shown: 'null' },
  ]),
  inFiles(
    'require loads CommonJS, JSON, built-in and ECMAScript modules',
    [
      {
        code: "require('./common.cjs').five + require('./common').five",
        error: { name: 'Error', message: /Cannot find module/ },
      },
      { code: "require('./common.cjs').five", shown: '5' },
      { code: "require('./own.mjs').a", shown: '1' },
      { code: "require('node:path').sep", shown: "'/'" },
      {
        code: "require('./common.cjs') === require('./common.cjs') && Object.keys(require.cache).length > 0",
        shown: 'true',
      },
    ],
    'Node: CommonJS modules',
  ),
  {
    name: 'import finds packages in node_modules, also packages of ECMAScript modules only',
    source: 'Node: packages, package entry points',
    steps: [
      {
        code: `const fs = require('fs'); fs.mkdirSync('node_modules/only-esm', { recursive: true });
fs.writeFileSync('node_modules/only-esm/package.json', '{"type":"module","exports":{"import":"./main.js"}}');
fs.writeFileSync('node_modules/only-esm/main.js', 'export default await Promise.resolve("esm")');`,
      },
      { code: "import esm from 'only-esm'; esm", shown: "'esm'" },
    ],
  },
  inFiles(
    'import.meta and the module variables name the working directory',
    [
      { code: '[import.meta.dirname, __dirname].every((folder) => folder === process.cwd())', shown: 'true' },
      { code: 'import.meta.filename === __filename && import.meta.url.startsWith("file://")', shown: 'true' },
      {
        code: "import.meta.resolve('./own.mjs') === 'file://' + process.cwd() + '/own.mjs' && import.meta.resolve('fs')",
        shown: "'node:fs'",
      },
    ],
    'Node: import.meta',
  ),
  inFiles(
    'a step is the main program, in every way in which programs ask',
    [
      { code: '[require.main === module, import.meta.main, !module.parent]', shown: '[ true, true, true ]' },
      { code: 'import.meta.url === "file://" + process.argv[1] && process.argv[1] === __filename', shown: 'true' },
      { code: "import.meta.url === require('url').pathToFileURL(process.argv[1]).href", shown: 'true' },
      { code: 'process.argv.slice(2)', shown: '[]' },
    ],
    'Node: accessing the main module; import.meta.main; process.argv',
  ),
  inFiles(
    'relative modules follow process.chdir',
    [
      {
        code: "require('fs').mkdirSync('deep'); require('fs').writeFileSync('deep/there.cjs', 'module.exports = 6'); process.chdir('deep')",
      },
      {
        code: "[require('./there.cjs'), (await import('./there.cjs')).default, __dirname.endsWith('/deep')]",
        shown: '[ 6, 6, true ]',
      },
    ],
    'Node REPL: import() and require() resolve from process.cwd()',
  ),
  inFiles('the word import stays as it is in texts and names', [
    { code: `const text = "import x from 'y'"; const o = { import: 1 }; [text.length, o.import]`, shown: '[ 17, 1 ]' },
  ]),
  inFiles(
    'the word export is left out, so that a module runs as a step',
    [
      { code: 'export const z = 1; export function f() { return z } export { z as y }' },
      { code: 'z + f()', shown: '2' },
      { code: 'export default class { a = 1 }', shown: /^\[class/ },
      { code: 'export default function named() {}' },
      { code: 'typeof named', shown: "'function'" },
      { code: "export { a } from './own.mjs'; export * from './own.mjs'; typeof a", shown: "'undefined'" },
    ],
    'languages/node/README.md: differences on purpose',
  ),
];
