import { expect, test } from 'vitest';
import { createRandom } from './random.ts';
import { runRounds } from './run-rounds.ts';
import type { Sample } from './sample.ts';

/** Runs rounds of two contestants; `order` gets the peers in the order in which they were measured. */
async function runTwo({ check = async () => {} }: { check?: () => Promise<void> } = {}) {
  const samples: Sample[] = [];
  const order: string[] = [];
  const contestant = (peer: string) => ({
    peer,
    check,
    async measure() {
      order.push(peer);
      return [{ metric: 'latency', value: order.length, unit: 'ms' as const }];
    },
  });
  const stage = { random: createRandom(1), record: (sample: Sample) => void samples.push(sample) };
  const contestants = [contestant('a'), contestant('b')];
  const running = runRounds(stage, { scenario: 's', case: 'c', rounds: 40, warmUp: 3, contestants });
  return {
    samples,
    order,
    ended: await running.then(
      () => null,
      (error: Error) => error.message,
    ),
  };
}

test('each round has every peer once, in an order that changes', async () => {
  const { order, samples } = await runTwo();
  const rounds = Map.groupBy(samples, ({ round }) => round);
  expect([...rounds.values()].map((of) => of.map(({ peer }) => peer).toSorted())).toEqual(Array(40).fill(['a', 'b']));
  const firsts = order.filter((_, i) => i % 2 === 0);
  expect(firsts.filter((peer) => peer === 'a').length).toBeGreaterThan(10);
  expect(firsts.filter((peer) => peer === 'b').length).toBeGreaterThan(10);
});

test('the rounds of the warm-up are measured and not recorded', async () => {
  const { order, samples } = await runTwo();
  expect(order).toHaveLength(2 * 43);
  expect(samples).toHaveLength(2 * 40);
  expect(Math.min(...samples.map(({ value }) => value))).toBe(7);
});

test('nothing is measured if a result is wrong', async () => {
  const { ended, order } = await runTwo({ check: () => Promise.reject(new Error('wrong')) });
  expect(ended).toBe('wrong');
  expect(order).toEqual([]);
});
