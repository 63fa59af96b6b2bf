import { expect, test } from 'vitest';
import { parseRunOptions } from './options.ts';

const known = ['latency', 'throughput', 'registry'];
const parse = (...args: string[]) => parseRunOptions(args, known);

test('without arguments all scenarios run in full', () => {
  expect(parse()).toEqual({ scenarios: known, plan: { size: 'full', rounds: null }, seed: 1, out: null });
});

test('scenarios run in their own order, whatever the order of the arguments', () => {
  const options = parse('registry', 'latency', '--smoke', '--rounds', '3', '--seed', '9', '--out', 'x.jsonl');
  expect(options).toEqual({
    scenarios: ['latency', 'registry'],
    plan: { size: 'smoke', rounds: 3 },
    seed: 9,
    out: 'x.jsonl',
  });
});

test.each([
  [['speed'], 'there is no scenario speed; there are latency, throughput, registry'],
  [['--rounds', '0'], '--rounds takes a whole number, not 0'],
  [['--quick'], "Unknown option '--quick'"],
  [['--seed', 'x'], '--seed takes a whole number, not x'],
])('refuses %j', (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});
