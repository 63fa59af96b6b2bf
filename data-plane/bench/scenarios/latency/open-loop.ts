import { setTimeout as wait } from 'node:timers/promises';
import { arrivalTimes } from '../../measure/arrival-times.ts';
import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import type { Peer } from '../../peers/peer.ts';
import { expression, startSides } from '../../peers/start-sides.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';

/**
 * Steps that arrive at random times, as those of independent clients do, whether or not earlier ones are answered. The time counts from the
 * arrival, so a step that waits behind a slow one counts its wait. A closed loop would send less just when the product is slow.
 */
export async function measureOpenLoop(stage: Stage, plan: Plan): Promise<void> {
  const count = amount(plan, { smoke: 2, full: 8 });
  const perSecond = amount(plan, { smoke: 40, full: 50 });
  const seconds = amount(plan, { smoke: 0.25, full: 2 });
  const sides = await startSides(stage, { count, warmUp: amount(plan, { smoke: 5, full: 100 }) });
  await runRounds(stage, {
    scenario: 'latency',
    case: `${expression.name}, ${perSecond} a second on ${count} sessions`,
    rounds: roundsOf(plan, { smoke: 4, full: 20 }),
    warmUp: 1,
    contestants: sides.map(({ name, sessions }) => ({
      peer: name,
      measure: () => runArrivals(sessions, { arrivals: arrivalTimes(stage.random, { perSecond, seconds }), ...stage }),
    })),
  });
}

type Arrivals = Pick<Stage, 'random'> & { arrivals: readonly number[] };

async function runArrivals(sessions: readonly Peer[], { arrivals, random }: Arrivals): Promise<Measured[]> {
  const start = performance.now();
  const running: Promise<Measured>[] = [];
  for (const arrival of arrivals) {
    const arrivesAt = start + arrival;
    // A timer is late by up to a millisecond, so the last moments are polled.
    const ahead = arrivesAt - performance.now();
    if (ahead > 2) await wait(ahead - 2);
    while (performance.now() < arrivesAt) await new Promise(setImmediate);
    const session = sessions[Math.floor(random() * sessions.length)] as Peer;
    running.push(
      session.run(expression).then(() => ({ metric: 'latency', value: performance.now() - arrivesAt, unit: 'ms' })),
    );
  }
  return await Promise.all(running);
}
