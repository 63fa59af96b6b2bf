import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { startProduct } from '../../stage/start-product.ts';

/** The interpreter with pandas of the scenario `create`, because numpy comes with it. */
const python = join(import.meta.dirname, '../../../../.holdfast/bench/pandas/bin/python');

/** Writes the arrays to a file of the sandbox and reads them again, and prints how long each took in milliseconds. */
const withNumpy = `import os, tempfile, time
with tempfile.TemporaryFile() as file:
  began = time.perf_counter()
  for array in arrays: numpy.save(file, array)
  file.flush()
  os.fsync(file.fileno())
  written = time.perf_counter()
  file.seek(0)
  copies = [numpy.load(file) for array in arrays]
  read = time.perf_counter()
del copies
print(1000 * (written - began), 1000 * (read - written))`;

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
  /** Numbers of 8 bytes in each of ten arrays. */
  const size = (megabytes * 1_000_000) / 8 / 10;
  await holdfast.runStep(id, {
    code: `import numpy\narrays = [numpy.random.default_rng(i).random(${size}) for i in range(10)]\nsums = [float(a.sum()) for a in arrays]`,
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
          const { stdout } = await holdfast.runStep(id, { code: withNumpy });
          const [save, restore] = stdout.split(' ').map(Number);
          if (save === undefined || restore === undefined) throw new Error(`numpy has not measured itself: ${stdout}`);
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
