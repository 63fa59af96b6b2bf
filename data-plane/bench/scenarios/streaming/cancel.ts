import { runRounds } from '../../measure/run-rounds.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { StreamingPeer } from './streaming-peers.ts';

const cases = [
  { name: 'interrupt of a loop', code: 'print("runs", flush=True)\nwhile True: pass' },
  { name: 'interrupt of a sleep', code: 'import time\nprint("runs", flush=True)\ntime.sleep(60)' },
];

/** The time from an interrupt to the end of the step, with the error that Python gives. */
export async function measureCancel(stage: Stage, plan: Plan, peers: readonly StreamingPeer[]): Promise<void> {
  for (const { name, code } of cases) {
    await runRounds(stage, {
      scenario: 'streaming',
      case: name,
      rounds: roundsOf(plan, { smoke: 3, full: 25 }),
      warmUp: amount(plan, { smoke: 1, full: 3 }),
      contestants: peers.map((peer) => ({
        peer: peer.name,
        measure: async () => [{ metric: 'cancel', value: await cancelMs(peer, code), unit: 'ms' }],
      })),
    });
  }
}

async function cancelMs({ name, stream, interrupt }: StreamingPeer, code: string): Promise<number> {
  const runs = Promise.withResolvers<void>();
  const ended = stream(code, () => runs.resolve());
  await Promise.race([runs.promise, ended]);
  const start = performance.now();
  const [{ error }] = await Promise.all([ended, interrupt()]);
  const ms = performance.now() - start;
  if (error !== 'KeyboardInterrupt') throw new Error(`${name} ended the step with ${error}`);
  return ms;
}
