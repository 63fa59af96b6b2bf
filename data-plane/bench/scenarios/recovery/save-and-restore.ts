import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { startProduct } from '../../stage/start-product.ts';

/** The interpreter with pandas of the scenario `create`, because numpy comes with it. */
const python = join(import.meta.dirname, '../../../../.holdfast/bench/pandas/bin/python');

/** The time to save arrays, and to restore them in a new kernel, beside writing and reading as many bytes of a file. */
export async function measureSaveAndRestore(stage: Stage, plan: Plan): Promise<void> {
  if (!existsSync(python)) {
    stage.note(
      'Arrays are not saved and restored, because numpy is not installed. It comes with pandas (docs/performance.md).',
    );
    return;
  }
  const megabytes = amount(plan, { smoke: 10, full: 100 });
  const holdfast = await startProduct(stage, { env: { HOLDFAST_PYTHON: python } });
  const { id } = await holdfast.createSession();
  const size = megabytes * 12_500;
  await holdfast.runStep(id, {
    code: `import numpy\narrays = [numpy.random.default_rng(i).random(${size / 10}) for i in range(10)]\nsums = [float(a.sum()) for a in arrays]`,
  });
  const post = async (path: string, body?: object) => {
    const start = performance.now();
    const answer = await holdfast.request('POST', `/v1/sessions/${id}${path}`, body);
    if (answer.status >= 300) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return { ms: performance.now() - start, body: answer.body };
  };
  await runRounds(stage, {
    scenario: 'recovery',
    case: `${megabytes} MB of arrays`,
    rounds: roundsOf(plan, { smoke: 1, full: 10 }),
    warmUp: amount(plan, { smoke: 0, full: 1 }),
    contestants: [
      {
        peer: product,
        async measure() {
          const saved = await post('/snapshots');
          const restored = await post('/restore', { snapshotId: saved.body.id });
          const { stdout } = await holdfast.runStep(id, { code: 'print([float(a.sum()) for a in arrays] == sums)' });
          if (stdout !== 'True\n') throw new Error(`the arrays are not the same: ${stdout}`);
          return [
            { metric: 'save', value: saved.ms, unit: 'ms' },
            { metric: 'restore', value: restored.ms, unit: 'ms' },
          ];
        },
      },
      {
        peer: 'numpy',
        async measure() {
          const file = join(stage.dataDir, 'arrays');
          const { stdout } = await holdfast.runStep(id, {
            code: `import time, os\nt = [time.perf_counter()]\nwith open(${JSON.stringify(file)}, 'wb') as out:\n  for a in arrays: numpy.save(out, a)\n  out.flush(); os.fsync(out.fileno())\nt.append(time.perf_counter())\nwith open(${JSON.stringify(file)}, 'rb') as back: copies = [numpy.load(back) for a in arrays]\nt.append(time.perf_counter())\ndel copies\nprint(*(1000 * (b - a) for a, b in zip(t, t[1:])))`,
          });
          const [save = Number.NaN, restore = Number.NaN] = stdout.split(' ').map(Number);
          return [
            { metric: 'save', value: save, unit: 'ms' },
            { metric: 'restore', value: restore, unit: 'ms' },
          ];
        },
      },
    ],
  });
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
  await holdfast.stop();
}
