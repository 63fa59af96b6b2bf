import { expect, test } from 'vitest';
import type { Header } from '../../header/describe-run.ts';
import type { Sample } from '../../measure/sample.ts';
import { describeFigures } from './describe-figures.ts';

const header: Header = {
  startedAt: '2026-01-01T00:00:00.000Z',
  machine: { processors: 2, model: 'one', memoryGib: 4, system: 'linux' },
  loadAtStart: [0, 0, 0],
  loadAtEnd: [1, 0, 0],
  versions: { Node: '24' },
  commit: 'abc',
  isDirty: false,
  fsyncMs: { p10: 1, p50: 1, p90: 1 },
  guarantees: { fsync: 'on', synchronousCommit: 'on', agentAuthentication: 'on', peerProof: 'on' },
  options: { scenarios: ['latency'], seed: 1, size: 'full', rounds: null },
  notes: ['one peer is missing'],
};

const sample = (peer: string, metric: string, value: number): Sample => ({
  ...{ scenario: 'latency', case: 'one print', round: 0, unit: 'ms' },
  ...{ peer, metric, value },
});
const samples = [
  sample('yardstick', 'latency', 1),
  sample('Holdfast', 'latency', 2),
  sample('Holdfast', 'cpu-agents', 1),
];
const { files, markdown } = describeFigures({ header, samples }, 'performance');

test('a metric has a figure, to which the page links, and a table with the ratio', () => {
  expect(Object.keys(files)).toEqual(['latency-latency.svg']);
  expect(markdown).toContain('](performance/latency-latency.svg)');
  expect(markdown).toMatch(/\| one print \| yardstick \| 1\.00 \(1\.00 to 1\.00\) \|.*Holdfast \/ yardstick \|/);
});

test('the CPU of one kind of process has a table alone', () => {
  expect(markdown).toContain('### Cpu-agents, ms\n\n| case');
});

test('the page says on which machine and commit, and what is left out', () => {
  for (const part of ['2 x one', 'abc', '- yardstick: no authentication', '- one peer is missing'])
    expect(markdown).toContain(part);
});
