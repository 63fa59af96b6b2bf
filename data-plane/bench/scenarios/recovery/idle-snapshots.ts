import { childrenOf, cpuMetrics, cpuTimes } from '../../measure/cpu-times.ts';
import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { ProductSession } from '../../stage/start-product.ts';
import { untilAtRest } from '../../stage/until-at-rest.ts';

const inFlight = 2;
const modes = ['auto', 'off'] as const;

/**
 * Steps a second on sessions that take turns, so that each rests for longer than a snapshot waits while the others keep the machine busy.
 * Every turn changes the state, so sessions with `recovery: "auto"` are saved in every rest.
 */
export async function measureIdleSnapshots(stage: Stage, plan: Plan): Promise<void> {
  const count = amount(plan, { smoke: 2, full: 16 });
  const turn = amount(plan, { smoke: 10, full: 25 });
  const turns = amount(plan, { smoke: 1, full: 3 });
  const holdfast = await stage.holdfast();
  const { postmaster } = await stage.database();
  const sides = new Map<string, ProductSession[]>();
  for (const recovery of modes) {
    const sessions: ProductSession[] = [];
    for (let i = 0; i < count; i++) {
      const session = await holdfast.openSession({ recovery });
      await session.runStep({
        code: 'n = 0\nitems = list(range(1000))\ndef count():\n  global n\n  n += 1\n  items.append(n)',
      });
      for (let step = 0; step < turn; step++) await session.runStep({ code: 'count()' });
      sessions.push(session);
    }
    sides.set(recovery, sessions);
  }
  await untilAtRest(holdfast.pid);
  const processes = { dataPlane: holdfast.pid, agents: childrenOf(holdfast.pid), postmaster };
  await runRounds(stage, {
    scenario: 'recovery',
    case: `${count} sessions in turns`,
    rounds: roundsOf(plan, { smoke: 2, full: 12 }),
    warmUp: amount(plan, { smoke: 0, full: 1 }),
    contestants: [...sides].map(([mode, sessions]) => ({
      peer: `recovery ${mode}`,
      base: 'recovery off',
      async measure(): Promise<Measured[]> {
        const before = cpuTimes(processes);
        const start = performance.now();
        await inTurns(Array.from({ length: turns }, () => sessions).flat(), turn);
        const seconds = (performance.now() - start) / 1000;
        // The snapshots of the last rest count, too.
        await untilAtRest(holdfast.pid);
        const after = cpuTimes(processes);
        const steps = turns * sessions.length * turn;
        return [
          { metric: 'throughput', value: steps / seconds, unit: '1/s' },
          ...cpuMetrics.map((metric) => ({
            metric,
            value: (after[metric] - before[metric]) / steps,
            unit: 'ms' as const,
          })),
        ];
      },
    })),
  });
  await Promise.all([...sides.values()].flat().map(({ close }) => close()));
}

/** Runs a turn of steps in each session, in as many at once as steps are in flight. */
async function inTurns(sessions: readonly ProductSession[], turn: number): Promise<void> {
  const left = sessions.values();
  const work = async () => {
    for (const session of left) for (let step = 0; step < turn; step++) await session.runStep({ code: 'count()' });
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}
