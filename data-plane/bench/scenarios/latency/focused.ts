import { latencies, runRounds } from '../../measure/run-rounds.ts';
import { checkCase, type Peer } from '../../peers/peer.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { nodeCases, pythonCases } from './cases.ts';

/** One case at a time: every peer runs a few steps of it in each round. */
export async function measureFocused(stage: Stage, plan: Plan, peers: readonly Peer[]): Promise<void> {
  const isLong = (perRound: number) => perRound < 10;
  for (const one of [...pythonCases, ...nodeCases]) {
    const steps = amount(plan, { smoke: isLong(one.perRound) ? 1 : 5, full: one.perRound });
    await runRounds(stage, {
      scenario: 'latency',
      case: one.name,
      rounds: roundsOf(plan, { smoke: isLong(one.perRound) ? 4 : 8, full: isLong(one.perRound) ? 25 : 50 }),
      warmUp: amount(plan, { smoke: isLong(one.perRound) ? 1 : 3, full: 10 }),
      contestants: peers
        .filter((peer) => peer.canRun(one))
        .map((peer) => ({
          peer: peer.name,
          check: () => checkCase(peer, one),
          measure: () => latencies(steps, () => peer.run(one)),
        })),
    });
  }
}
