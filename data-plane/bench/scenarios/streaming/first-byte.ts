import { runRounds } from '../../measure/run-rounds.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { StreamingPeer } from './streaming-peers.ts';

/** Longer than Jupyter holds back output, which is a fifth of a second unless the code flushes it. */
const pause = 'import time; time.sleep(0.3)';

const cases = [
  { name: 'a print, then a pause', code: `print("first")\n${pause}` },
  { name: 'a flushed print, then a pause', code: `print("first", flush=True)\n${pause}` },
];

/** The time from the request to the first output of a step that goes on. */
export async function measureFirstByte(stage: Stage, plan: Plan, peers: readonly StreamingPeer[]): Promise<void> {
  for (const { name, code } of cases) {
    await runRounds(stage, {
      scenario: 'streaming',
      case: name,
      rounds: roundsOf(plan, { smoke: 2, full: 25 }),
      warmUp: amount(plan, { smoke: 0, full: 3 }),
      contestants: peers.map((peer) => ({
        peer: peer.name,
        measure: async () => [{ metric: 'first byte', value: await firstByteMs(peer, code), unit: 'ms' }],
      })),
    });
  }
}

async function firstByteMs({ name, stream }: StreamingPeer, code: string): Promise<number> {
  const start = performance.now();
  let firstAt: number | null = null;
  let output = '';
  await stream(code, (text) => {
    firstAt ??= performance.now();
    output += text;
  });
  if (firstAt === null || output !== 'first\n') throw new Error(`${name} gave ${JSON.stringify(output)}`);
  return firstAt - start;
}
