import type { Readable } from 'node:stream';
import { setInterval as ticks } from 'node:timers/promises';
import { residentMebibytes } from '../../measure/process-memory.ts';
import { runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Product } from '../../stage/start-product.ts';
import { connectStream } from './step-stream.ts';
import type { StreamedSession } from './streaming-peers.ts';

const bytesPerSecond = 64 * 1024;
const samplesPerSecond = 20;
const code = (mebibytes: number) =>
  `import sys\nline = "x" * 65_535 + "\\n"\nfor _ in range(${mebibytes * 16}): _ = sys.stdout.write(line)`;

/** The growth of the data-plane's resident memory while a client reads 64 KiB a second of the events of a step that prints 64 MiB. */
export async function measureSlowReader(
  stage: Stage,
  plan: Plan,
  { holdfast, session }: { holdfast: Product; session: StreamedSession },
): Promise<void> {
  const { seconds, mebibytes } = amount(plan, {
    smoke: { seconds: 1, mebibytes: 16 },
    full: { seconds: 10, mebibytes: 64 },
  });
  await runRounds(stage, {
    scenario: 'streaming',
    case: `${mebibytes} MiB, read at 64 KiB a second`,
    rounds: roundsOf(plan, { smoke: 1, full: 5 }),
    warmUp: amount(plan, { smoke: 0, full: 1 }),
    contestants: [
      {
        peer: product,
        measure: async () => {
          const before = residentMebibytes(holdfast.pid);
          const slow = connectStream(holdfast, { sessionId: session.id, defer: stage.defer });
          const peak = await readSlowly(await slow.open(code(mebibytes)), { seconds, pid: holdfast.pid });
          await slow.close();
          // The next step waits for the end of this one.
          await session.stream('1', () => {});
          return [{ metric: 'memory growth', value: Math.max(0, peak - before), unit: 'MiB' }];
        },
      },
    ],
  });
}

/** The peak of the process's resident memory meanwhile. The reader leaves before the end. */
async function readSlowly(body: Readable, { seconds, pid }: { seconds: number; pid: number }): Promise<number> {
  body.on('error', () => {});
  let peak = 0;
  let tick = 0;
  for await (const _ of ticks(1000 / samplesPerSecond)) {
    if (tick++ % samplesPerSecond === 0) body.read(bytesPerSecond);
    peak = Math.max(peak, residentMebibytes(pid));
    if (tick > seconds * samplesPerSecond) break;
  }
  return peak;
}
