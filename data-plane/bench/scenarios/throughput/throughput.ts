import { cpuMetrics, cpuTimes, type StepProcesses } from '../../measure/cpu-times.ts';
import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import type { Peer } from '../../peers/peer.ts';
import { expression, startSides } from '../../peers/start-sides.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Scenario } from '../scenario.ts';

/** Steps per second, and the CPU of a step, with steps in flight on as many sessions. Each has its own agent and interpreter. */
export const throughput: Scenario = { name: 'throughput', run };

async function run(stage: Stage, plan: Plan): Promise<void> {
  const levels = amount(plan, { smoke: [1, 2], full: [1, 8, 16, 64] });
  const sides = await startSides(stage, { count: Math.max(...levels), warmUp: amount(plan, { smoke: 10, full: 100 }) });
  for (const level of levels) {
    const each = Math.ceil(amount(plan, { smoke: 40, full: 480 }) / level);
    await runRounds(stage, {
      scenario: 'throughput',
      case: `${level} in flight`,
      rounds: roundsOf(plan, { smoke: 5, full: 12 }),
      warmUp: 1,
      contestants: sides.map(({ name, sessions, processes }) => ({
        peer: name,
        measure: () => measureRate(sessions.slice(0, level), { each, processes }),
      })),
    });
  }
}

type Amounts = { each: number; processes: StepProcesses };

async function measureRate(sessions: readonly Peer[], { each, processes }: Amounts): Promise<Measured[]> {
  const steps = each * sessions.length;
  const before = cpuTimes(processes);
  const seconds = await inFlight(sessions, each);
  const after = cpuTimes(processes);
  return [
    { metric: 'throughput', value: steps / seconds, unit: '1/s' },
    ...cpuMetrics.map((metric) => ({ metric, value: (after[metric] - before[metric]) / steps, unit: 'ms' as const })),
  ];
}

/** Runs this many steps in each session, one after the other, in all sessions at once. Returns the seconds that it took. */
async function inFlight(sessions: readonly Peer[], each: number): Promise<number> {
  const start = performance.now();
  await Promise.all(
    sessions.map(async ({ run }) => {
      for (let step = 0; step < each; step++) await run(expression);
    }),
  );
  return (performance.now() - start) / 1000;
}
