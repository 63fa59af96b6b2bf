import { runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';

/** A thread of the context that notes how long it was kept from running. */
const watch = `import threading, time
longest = 0.0
def watch():
  global longest
  last = time.perf_counter()
  while True:
    time.sleep(0.0005)
    now = time.perf_counter()
    longest = max(longest, now - last)
    last = now
threading.Thread(target=watch, daemon=True).start()`;

/** The longest pause of a running context while it is saved, and in a time as long in which nothing happens. */
export async function measurePause(stage: Stage, plan: Plan): Promise<void> {
  const holdfast = await stage.holdfast();
  const mebibytes = amount(plan, { smoke: 8, full: 100 });
  const { id } = await holdfast.createSession();
  // Every page is written once, so that the fork copies its tables.
  await holdfast.runStep(id, { code: `${watch}\nstate = bytearray(b'x' * (${mebibytes} << 20))` });
  const longestIn = async (work: string): Promise<number> => {
    await holdfast.runStep(id, { code: 'longest = 0.0' });
    const start = performance.now();
    if (work === product) {
      const { status, body } = await holdfast.request('POST', `/v1/sessions/${id}/snapshots`);
      if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
      took = performance.now() - start;
    } else await holdfast.runStep(id, { code: `time.sleep(${took / 1000})` });
    const { stdout } = await holdfast.runStep(id, { code: 'print(longest * 1000)' });
    return Number(stdout);
  };
  let took = 300;
  await runRounds(stage, {
    scenario: 'recovery',
    case: `a context with ${mebibytes} MiB runs`,
    rounds: roundsOf(plan, { smoke: 2, full: 20 }),
    warmUp: amount(plan, { smoke: 0, full: 1 }),
    contestants: [product, 'no snapshot'].map((peer) => ({
      peer,
      measure: async () => [{ metric: 'longest pause', value: await longestIn(peer), unit: 'ms' as const }],
    })),
  });
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}
