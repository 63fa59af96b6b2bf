import type { Stage } from '../stage/stage.ts';
import { shuffled } from './random.ts';
import type { Unit } from './sample.ts';

export type Measured = { metric: string; value: number; unit: Unit };

export type Contestant = {
  peer: string;
  /** See `Sample`. */
  base?: string;
  /** Throws if the peer gives a wrong result. Runs before anything is timed. */
  check?(): Promise<void>;
  /** One peer's part of a round. It may give many values, such as the time of each of several steps. */
  measure(): Promise<Measured[]>;
};

type Rounds = { scenario: string; case: string; rounds: number; warmUp: number; contestants: readonly Contestant[] };

/**
 * Checks every contestant, and runs all of them in each round, one after the other in random order, so that a change in the machine's
 * speed affects them alike. The first `warmUp` rounds are not recorded.
 */
export async function runRounds(
  { random, record }: Pick<Stage, 'random' | 'record'>,
  { scenario, case: name, rounds, warmUp, contestants }: Rounds,
): Promise<void> {
  for (const { check } of contestants) await check?.();
  for (let round = -warmUp; round < rounds; round++) {
    for (const { peer, base, measure } of shuffled(contestants, random)) {
      const measured = await measure();
      if (round < 0) continue;
      for (const one of measured)
        record({ scenario, case: name, peer, ...(base !== undefined && { base }), round, ...one });
    }
  }
}

/** The time of the work in milliseconds, `times` times. */
export async function latencies(times: number, work: () => Promise<unknown>): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await work();
    measured.push({ metric: 'latency', value: performance.now() - start, unit: 'ms' });
  }
  return measured;
}
