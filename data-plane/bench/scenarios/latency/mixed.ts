import { shuffled } from '../../measure/random.ts';
import type { Peer } from '../../peers/peer.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { type Case, nodeCases, pythonCases } from './cases.ts';

/** A draw has as many of each case as its weight says. */
const weighted: Case[] = [...pythonCases, ...nodeCases].flatMap((one) =>
  Array.from({ length: Math.ceil(one.perRound / 4) }, () => one),
);

/**
 * Cases drawn at random, as they come in real use: a small step may follow a large one. In a round every peer gets the same draw in the
 * same order. The peers have run each case before, so nothing is warmed up here.
 */
export async function measureMixed(stage: Stage, plan: Plan, peers: readonly Peer[]): Promise<void> {
  const { random, record } = stage;
  const drawnSteps = amount(plan, { smoke: 12, full: 30 });
  const rounds = roundsOf(plan, { smoke: 3, full: 60 });
  for (let round = 0; round < rounds; round++) {
    const drawn = shuffled(weighted, random).slice(0, drawnSteps);
    for (const peer of shuffled(peers, random)) {
      for (const one of drawn) {
        if (!peer.canRun(one)) continue;
        const start = performance.now();
        await peer.run(one);
        const value = performance.now() - start;
        const of = { scenario: 'latency', case: `${one.name}, mixed`, metric: 'latency' };
        record({ ...of, peer: peer.name, round, value, unit: 'ms' });
      }
    }
  }
}
