import { type ChildProcess, spawn } from 'node:child_process';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Kernel } from '../../src/kernel-process/kernel.ts';
import { amounts } from '../stress/amounts.ts';
import { missing, type TestedLanguage } from '../support/kernel-languages.ts';
import { openKernel } from '../support/open-kernel.ts';

/** Acts of a step, in code. Each gets a text that identifies it. `end` are the last acts of a step. */
type Acts = { out: Act[]; err: Act[]; shows?: Act[]; asks?: Act; ends: Act[] };
type Act = (text: string) => string;

const languages: Partial<Record<TestedLanguage, Acts>> = {
  python: {
    out: [
      (text) => `print("${text}", end="")`,
      (text) => `print("${text}", end="", flush=True)`,
      (text) => `import sys; sys.stdout.flush(); sys.stdout.buffer.write(b"${text}")`,
      (text) => `import sys; sys.stdout.writelines(["${text}"])`,
    ],
    err: [
      (text) => `import sys; sys.stderr.write("${text}")`,
      (text) => `import sys; print("${text}", end="", file=sys.stderr, flush=True)`,
      (text) => `import sys; sys.stderr.flush(); sys.stderr.buffer.write(b"${text}")`,
    ],
    shows: [(text) => `display({"text/plain": "${text}"}, raw=True)`],
    asks: (text) => `input("${text}")`,
    ends: [
      (text) => `type("Value", (), {"__repr__": lambda self: "${text}"})()`,
      (text) => `raise Exception("${text}")`,
      () => 'None',
    ],
  },
  node: {
    out: [(text) => `process.stdout.write("${text}");`, (text) => `process.stdout.write(Buffer.from("${text}"));`],
    err: [(text) => `process.stderr.write("${text}");`],
    asks: () =>
      `await new Promise((answered) => process.stdin.resume().once("data", () => answered(process.stdin.pause())));`,
    ends: [
      (text) => `({ [Symbol.for("nodejs.util.inspect.custom")]: () => "${text}" })`,
      (text) => `throw new Error("${text}")`,
      () => 'undefined',
    ],
  },
  ruby: {
    out: [
      (text) => `print "${text}"`,
      (text) => `$stdout << "${text}"; $stdout.flush`,
      (text) => `STDOUT.syswrite("${text}")`,
      (text) => `[1].each { printf("%s", "${text}") }`,
    ],
    err: [
      (text) => `Warning.warn("${text}")`,
      (text) => `$stderr.print "${text}"`,
      (text) => `STDERR.write_nonblock("${text}")`,
      (text) => `def complain(text) = $stderr.write(text); complain "${text}"`,
    ],
    asks: () => 'gets',
    ends: [(text) => `Class.new { def inspect = "${text}" }.new`, (text) => `raise "${text}"`, () => 'nil'],
  },
  bash: {
    out: [
      (text) => `echo -n '${text}'`,
      (text) => `printf %s '${text}'`,
      (text) => `/bin/echo -n '${text}'`,
      (text) => `out() { printf %s "$1"; }; out '${text}'`,
      (text) => `for word in 1; do echo -n '${text}'; done >&1`,
      (text) => `cat < <(printf %s '${text}')`,
    ],
    err: [
      (text) => `echo -n '${text}' >&2`,
      (text) => `printf %s '${text}' >/dev/stderr`,
      (text) => `{ echo -n '${text}'; } >&2`,
      (text) => `out() { printf %s "$1"; }; out '${text}' >&2`,
      (text) => `sh -c "printf %s '${text}' >&2"`,
      (text) => `exec 3>&2; eval "echo -n '${text}' >&3"; exec 3>&-`,
    ],
    asks: () => 'read -r answer',
    ends: [() => ':'],
  },
};
/** The last acts that make no event. */
const silent = ['None', 'undefined', 'nil', ':'];

const stepsInAll = amounts.orders;
let load: ChildProcess[];
beforeAll(() => {
  load = [0, 1].map(() => spawn(process.execPath, ['-e', `setTimeout(() => process.exit(), 300_000); for (;;) {}`]));
});
afterAll(() => {
  for (const one of load) one.kill('SIGKILL');
});

for (const [language, acts] of Object.entries(languages) as [TestedLanguage, Acts][]) {
  test.skipIf(missing(language))(
    `${language} keeps ${stepsInAll} random orders of its acts on a busy machine`,
    async () => {
      await using open = await openKernel(language);
      const random = seeded(7);
      for (let round = 0; round < stepsInAll; round++) {
        const { code, expected } = randomStep(acts, random);
        expect(await eventsOf(open.kernel, code), code).toEqual(expected);
      }
    },
    600_000,
  );
}

/** Code of up to 20 acts and the events that it makes, in which output of one stream in a row is one event. */
function randomStep(acts: Acts, random: () => number) {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const lines: string[] = [];
  const expected: string[] = [];
  const add = (kind: string, line: string, text: string) => {
    lines.push(line);
    if (!silent.includes(line)) push(expected, kind, text);
  };
  const kinds = ['out', 'err', 'out', 'err', ...(acts.shows ? ['shows'] : []), ...(acts.asks ? ['asks'] : [])];
  for (let left = 1 + Math.floor(random() * 20), at = 0; at < left; at++) {
    const text = `${at};`;
    const kind = pick(kinds);
    if (kind === 'out') add('stdout', pick(acts.out)(text), text);
    else if (kind === 'err') add('stderr', pick(acts.err)(text), text);
    else if (kind === 'shows') add('shown', pick(acts.shows as Act[])(text), text);
    else add('asked', (acts.asks as Act)(text), '');
  }
  add('shown', pick(acts.ends)('end'), 'end');
  return { code: lines.join('\n'), expected };
}

async function eventsOf(kernel: Kernel, code: string): Promise<string[]> {
  const stepId = newId('stp');
  const events: string[] = [];
  await kernel.execute(
    { stepId, code, stdin: true },
    {
      output: (stream, bytes) => push(events, stream, String(bytes)),
      result: ({ data }) => push(events, 'shown', String(data['text/plain'])),
      error: ({ message }) => push(events, 'shown', message),
      comm: ({ data }) => push(events, 'comm', JSON.stringify(data)),
      inputRequest() {
        push(events, 'asked', '');
        kernel.input(stepId, 'answer');
      },
    },
  );
  return events;
}

function push(events: string[], kind: string, text: string): void {
  const isOutput = kind === 'stdout' || kind === 'stderr';
  if (isOutput && events.at(-1)?.startsWith(`${kind}:`)) events[events.length - 1] += text;
  else events.push(`${kind}:${text}`);
}

/** Numbers from 0 to 1, the same in each run (xorshift32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

test.skipIf(missing('ruby'))('ruby: keeps the order if the code lets a stream buffer', async () => {
  await using open = await openKernel('ruby');
  const { chunks } = await open.run(
    '$stdout.sync = $stderr.sync = false; print "a"; $stderr.print "b"; print "c"; STDERR.write "d"; puts',
  );
  expect(chunks.join('')).toBe('abcd\n');
});
