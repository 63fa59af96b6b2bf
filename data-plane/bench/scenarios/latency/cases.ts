/** A piece of code, and what it shows. `error` is the name of its error. */
export type Case = {
  name: string;
  language: 'python' | 'node';
  code: string;
  output: string;
  result: string | null;
  error: string | null;
  /** Its weight in the mixed run, and the number of steps in a round. */
  perRound: number;
};

const lines = Array.from({ length: 10_000 }, (_, i) => `${i}\n`).join('');
const megabyte = `${'x'.repeat(999_999)}\n`;
const nothing = { output: '', result: null, error: null };

const python: Omit<Case, 'language'>[] = [
  { name: 'x = 1; x + 1', code: 'x = 1; x + 1', ...nothing, result: '2', perRound: 20 },
  { name: 'one print', code: 'print("hello")', ...nothing, output: 'hello\n', perRound: 20 },
  { name: '1 MB', code: 'print("x" * 999_999)', ...nothing, output: megabyte, perRound: 2 },
  { name: '10,000 prints', code: 'for i in range(10_000): print(i)', ...nothing, output: lines, perRound: 2 },
  {
    name: '50 ms of computing',
    code: 'import time\nend = time.perf_counter() + 0.05\nwhile time.perf_counter() < end: pass',
    ...nothing,
    perRound: 2,
  },
  { name: 'an error', code: '1 / 0', ...nothing, error: 'ZeroDivisionError', perRound: 10 },
];

const node: Omit<Case, 'language'>[] = [
  { name: 'x = 1; x + 1', code: 'x = 1; x + 1', ...nothing, result: '2', perRound: 20 },
  { name: 'one print', code: 'console.log("hello")', ...nothing, output: 'hello\n', perRound: 20 },
  { name: '1 MB', code: 'console.log("x".repeat(999_999))', ...nothing, output: megabyte, perRound: 2 },
  {
    name: '10,000 prints',
    code: 'for (let i = 0; i < 10_000; i++) console.log(i)',
    ...nothing,
    output: lines,
    perRound: 2,
  },
  {
    name: '50 ms of computing',
    code: 'for (const end = performance.now() + 50; performance.now() < end; );',
    ...nothing,
    perRound: 2,
  },
  { name: 'an error', code: 'null.x', ...nothing, error: 'TypeError', perRound: 10 },
];

export const pythonCases: Case[] = python.map((one) => ({ ...one, language: 'python' }));

/** Only the product has Node. */
export const nodeCases: Case[] = node.map((one) => ({ ...one, name: `${one.name}, Node`, language: 'node' }));
