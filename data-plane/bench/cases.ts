/** A piece of Python, its output and the value of its last expression. */
export type Case = { name: string; code: string; output: string; result: string | null; rounds: number };

const lines = Array.from({ length: 10_000 }, (_, i) => `${i}\n`).join('');

export const cases: Case[] = [
  { name: 'x = 1; x + 1', code: 'x = 1; x + 1', output: '', result: '2', rounds: 500 },
  { name: 'one print', code: 'print("hello")', output: 'hello\n', result: null, rounds: 500 },
  { name: '1 MB', code: 'print("x" * 999_999)', output: `${'x'.repeat(999_999)}\n`, result: null, rounds: 50 },
  { name: '10,000 prints', code: 'for i in range(10_000): print(i)', output: lines, result: null, rounds: 50 },
];
