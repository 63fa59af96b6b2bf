import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { StreamingPeer } from './streaming-peers.ts';

/** Each line is the time at which it is printed, in nanoseconds. */
const code = (lines: number, options: string) =>
  `import time\nfor _ in range(${lines}):\n    time.sleep(0.02)\n    print(time.time_ns()${options})`;

const cases = [
  { name: 'lines 20 ms apart', options: '' },
  { name: 'flushed lines 20 ms apart', options: ', flush=True' },
];

/** The time from a `print` to the arrival of its line. */
export async function measureLineLag(stage: Stage, plan: Plan, peers: readonly StreamingPeer[]): Promise<void> {
  const lines = amount(plan, { smoke: 10, full: 50 });
  for (const { name, options } of cases) {
    await runRounds(stage, {
      scenario: 'streaming',
      case: name,
      rounds: roundsOf(plan, { smoke: 2, full: 20 }),
      warmUp: amount(plan, { smoke: 0, full: 1 }),
      contestants: peers.map((peer) => ({
        peer: peer.name,
        measure: async () => {
          const lags = await lineLags(peer, code(lines, options));
          if (lags.length !== lines) throw new Error(`${peer.name} gave ${lags.length} lines, not ${lines}`);
          return lags.map((value): Measured => ({ metric: 'lag', value, unit: 'ms' }));
        },
      })),
    });
  }
}

async function lineLags({ stream }: StreamingPeer, printing: string): Promise<number[]> {
  const now = wallClock();
  const lags: number[] = [];
  let rest = '';
  await stream(printing, (text) => {
    const arrivedAt = now();
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) lags.push(arrivedAt - Number(BigInt(line) / 1000n) / 1000);
  });
  return lags;
}

/**
 * Milliseconds since 1970, with the resolution of microseconds. A pause of this process between its two clocks would make the time too early,
 * so the latest of several comparisons counts.
 */
function wallClock(): () => number {
  const offsets = Array.from({ length: 5 }, () => {
    const last = Date.now();
    let next = last;
    while (next === last) next = Date.now();
    return next - performance.now();
  });
  const offset = Math.max(...offsets);
  return () => offset + performance.now();
}
