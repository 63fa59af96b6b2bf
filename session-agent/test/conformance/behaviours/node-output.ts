import type { Behaviour } from './run-behaviours.ts';

const consoleMethods = 'Node: console';
const late = 'languages/README.md: attribution of output';

/** Output of steps by console, process.stdout and child processes, and the step that it belongs to. */
export const output: Behaviour[] = [
  {
    name: 'console writes to stdout and stderr as its methods say',
    source: consoleMethods,
    steps: [
      {
        code: 'console.log("%s is %d and %o", "a", 1, [2]); console.info("i"); console.debug("d")',
        stdout: 'a is 1 and [ 2, [length]: 1 ]\ni\nd\n',
      },
      {
        code: 'console.error("e"); console.warn("w"); console.assert(1 > 2, "no")',
        stderr: 'e\nw\nAssertion failed: no\n',
      },
      {
        code: 'console.group("g"); console.log("in"); console.groupEnd(); console.log("out")',
        stdout: 'g\n  in\nout\n',
      },
      {
        code: 'console.count(); console.count(); console.countReset(); console.count("x")',
        stdout: 'default: 1\ndefault: 2\nx: 1\n',
      },
      { code: 'console.dir({ a: { b: { c: {} } } }, { depth: 0 })', stdout: '{ a: [Object] }\n' },
      { code: 'console.table([{ a: 1 }])', stdout: /│ \(index\) │ a │[\s\S]*│ 0 {7}│ 1 │/ },
      { code: 'console.time("t"); console.timeEnd("t")', stdout: /^t: [\d.]+ms\n$/ },
    ],
  },
  {
    name: 'process.stdout.write takes bytes and encodings and calls back',
    source: 'Node: writable streams',
    steps: [
      {
        code: 'await new Promise((r) => process.stdout.write("a", r)); process.stdout.write(Buffer.from("b")); process.stdout.write("63", "hex"); undefined',
        stdout: 'abc',
      },
      { code: 'process.stderr.write("e") && process.stdout.write("")', stderr: 'e', shown: 'true' },
    ],
  },
  {
    name: 'stdout works again in the step after one that has ended it',
    source: 'languages/README.md: the end of a step',
    steps: [
      { code: 'process.stdout.end("last"); undefined', stdout: 'last' },
      { code: 'console.log("again")', stdout: 'again\n' },
    ],
  },
  {
    name: 'child processes write to the step that waits for them',
    source: 'Node: child_process',
    steps: [
      {
        code: 'require("child_process").execSync("echo out; echo err >&2", { stdio: "inherit" }); undefined',
        stdout: 'out\n',
        stderr: 'err\n',
      },
      { code: 'require("child_process").execSync("printf seen").toString()', shown: "'seen'" },
      {
        code: 'const { execFile } = require("child_process"); await require("util").promisify(execFile)("printf", ["p"])',
        shown: "{ stdout: 'p', stderr: '' }",
      },
    ],
  },
  {
    name: 'worker threads write to the step that runs them',
    source: 'Node: worker_threads',
    steps: [
      {
        code: `const { Worker } = require("worker_threads");
const worker = new Worker('const { parentPort } = require("worker_threads"); console.log("from the worker"); parentPort.postMessage(6)', { eval: true });
const ended = require("events").once(worker, "exit");
const [answer] = await require("events").once(worker, "message"); await ended; answer`,
        stdout: 'from the worker\n',
        shown: '6',
      },
    ],
  },
  {
    name: 'a timer that goes on writes to the background of its own step while another runs',
    source: late,
    steps: [
      {
        code: 'let ticks = 0; const timer = setInterval(() => { console.log("tick"); if (++ticks === 3) { clearInterval(timer); done() } }, 5); var done = () => {}; 0',
        shown: '0',
      },
      { code: 'await new Promise((r) => { done = r; if (ticks > 2) r() }); console.log("mine")', stdout: 'mine\n' },
    ],
  },
  {
    name: 'a promise that goes on writes to the background of its own step',
    source: late,
    steps: [
      {
        code: '(async () => { await new Promise((r) => setTimeout(r, 10)); console.log("late"); console.error("and wrong") })(); 0',
        shown: '0',
        background: /late\nand wrong\n/,
      },
      { code: 'console.log("mine")', stdout: 'mine\n' },
    ],
  },
  {
    name: 'late output of any length arrives whole',
    source: late,
    steps: [
      {
        code: "setTimeout(() => process.stdout.write('😀'.repeat(3e6)), 20); 0",
        shown: '0',
        background: /^(?:😀){3000000}$/u,
      },
    ],
  },
  {
    name: 'a child process that outlives its step writes to the background of that step while another runs',
    source: late,
    steps: [
      {
        code: 'const child = require("child_process").spawn("sh", ["-c", "read line; echo late"], { stdio: ["pipe", "inherit", "inherit"] }); 0',
        shown: '0',
      },
      {
        code: 'child.stdin.end("go\\n"); await require("events").once(child, "exit"); console.log("mine")',
        stdout: 'mine\n',
      },
    ],
  },
];
