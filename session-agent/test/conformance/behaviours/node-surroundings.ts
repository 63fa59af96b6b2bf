import type { Behaviour } from './run-behaviours.ts';

const asks = 'Node: readline; languages/README.md: input_request';
const refused = { name: 'InputNotAllowedError', message: /stdin: true/ };
const exits = 'Node: process.exit';

/** Environment, input, exits and stopping. */
export const surroundings: Behaviour[] = [
  {
    name: 'the environment of a step is restored after it, also after an error',
    source: 'languages/README.md: env',
    env: { KEPT: 'old' },
    steps: [
      { code: 'process.env.KEPT + process.env.NEW', env: { KEPT: 'new', NEW: '1' }, shown: "'new1'" },
      { code: '[process.env.KEPT, process.env.NEW]', shown: "[ 'old', undefined ]" },
      { code: 'process.env.NEW = "changed"; throw new Error("no")', env: { NEW: '1' }, error: { name: 'Error' } },
      { code: '"NEW" in process.env', shown: 'false' },
      { code: 'require("child_process").execSync("printf $SEEN").toString()', env: { SEEN: 'yes' }, shown: "'yes'" },
    ],
  },
  {
    name: 'readline asks with its prompt, one question after the other',
    source: asks,
    steps: [
      {
        code: `import { createInterface } from 'node:readline/promises';
import { stdin as input, stdout as output } from 'node:process';
const rl = createInterface({ input, output });
const name = await rl.question('Name? '); await new Promise((r) => setTimeout(r, 20));
const age = await rl.question('Age? '); rl.close(); [name, age]`,
        stdin: ['Ada', '36'],
        prompts: ['Name? ', 'Age? '],
        stdout: 'Name? Age? ',
        shown: "[ 'Ada', '36' ]",
      },
      {
        code: `const other = require('readline').createInterface({ input: process.stdin, output: process.stdout });
await new Promise((r) => other.question('Again? ', (a) => { console.log('got ' + a); other.close(); r() }))`,
        stdin: ['yes'],
        prompts: ['Again? '],
        stdout: 'Again? got yes\n',
      },
    ],
  },
  {
    name: 'iterating over input yields lines until it ends',
    source: asks,
    steps: [
      {
        code: "const lines = []; for await (const line of require('readline').createInterface({ input: process.stdin })) lines.push(line); lines",
        stdin: ['a', '', 'c', null],
        prompts: ['', '', '', ''],
        shown: "[ 'a', '', 'c' ]",
      },
      {
        code: 'let text = ""; for await (const chunk of process.stdin) text += chunk; text',
        stdin: ['é', null],
        prompts: ['', ''],
        shown: "'é\\n'",
      },
    ],
  },
  {
    name: 'a step goes on until it has the answers that its callbacks wait for',
    source: `${asks}; a process does not end before`,
    steps: [
      {
        code: `const rl = require('readline').createInterface({ input: process.stdin, output: process.stdout });
rl.question('First? ', (first) => rl.question('Second? ', (second) => { console.log(first, second); rl.close() }))`,
        stdin: ['a', 'b'],
        prompts: ['First? ', 'Second? '],
        stdout: 'First? Second? a b\n',
      },
      {
        code: "let text = ''; process.stdin.on('data', (chunk) => { text += chunk }).on('end', () => console.log(text)); 1",
        stdin: ['c', 'd', null],
        prompts: ['', '', ''],
        stdout: 'c\nd\n\n',
        shown: '1',
      },
      { code: 'process.stdin.isTTY', stdin: [] },
    ],
  },
  {
    name: 'reading input fails at once if the step takes none',
    source: asks,
    steps: [
      { code: 'for await (const chunk of process.stdin) {}', error: refused },
      {
        code: "await require('readline/promises').createInterface({ input: process.stdin }).question('? ')",
        error: refused,
      },
      {
        code: "require('readline').createInterface({ input: process.stdin }).question('? ', () => {}); await new Promise(() => {})",
        error: refused,
      },
      { code: "process.stdin.on('data', () => {}); await new Promise(() => {})", error: refused },
    ],
  },
  {
    name: 'an interrupt ends a wait for input, and the next step can ask again',
    source: asks,
    steps: [
      {
        code: "var leaks = 0; console.log('up'); for await (const chunk of process.stdin) {}\nleaks++",
        stdin: [],
        interruptAt: 'up',
        stdout: 'up\n',
        prompts: [''],
        status: 'interrupted',
      },
      {
        code: 'let first; for await (const chunk of process.stdin) { first = String(chunk); break }\nfirst',
        stdin: ['next'],
        prompts: [''],
        shown: "'next\\n'",
      },
      { code: 'leaks', shown: '0' },
    ],
  },
  {
    name: 'process.exit(0) ends the step, and handlers wait for the end of the process',
    source: exits,
    steps: [{ code: `process.on('exit', () => console.log('bye')); process.exit(0)`, exitCode: 0 }],
  },
  ...[
    'setTimeout(() => process.exit(4), 1); await new Promise(() => {})',
    'await Promise.resolve().then(() => process.exit(4))',
    'process.exitCode = 4; process.exit()',
  ].map(
    (code): Behaviour => ({
      name: `${code} fails the step`,
      source: exits,
      steps: [
        { code, exitCode: 4, error: { name: 'Exit', message: '4' } },
        { code: '1', shown: '1' },
      ],
    }),
  ),
  {
    name: 'setting process.exitCode does not end the context',
    source: exits,
    steps: [
      { code: 'process.exitCode = 4', shown: '4' },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: 'a handler of SIGINT runs when a step is interrupted, and the step ends',
    source: 'Node: signal events',
    steps: [
      {
        code: 'var signals = 0; process.on("SIGINT", () => { signals++ }); console.log("up"); await new Promise(() => {})',
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      { code: 'await new Promise((r) => setTimeout(r, 20)); signals', shown: '1' },
    ],
  },
  ...[
    '/^(a+)+$/.test("a".repeat(40) + "b")',
    'for (;;) await null',
    'require("child_process").execSync("sleep 60")',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    '({ [Symbol.for("nodejs.util.inspect.custom")]() { for (;;); } })',
  ].map(
    (code): Behaviour => ({
      name: `an interrupt stops ${code} and keeps the state`,
      source: 'languages/README.md: interrupt',
      steps: [
        { code: 'let kept = 1' },
        { code: `console.log("up"); ${code}`, interruptAt: 'up', stdout: 'up\n', status: 'interrupted', stderr: /^/ },
        { code: 'kept', shown: '1' },
      ],
    }),
  ),
];
