import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processesOf } from '../../../../session-agent/test/support/processes-of.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { type ProductSession, startProduct } from '../../stage/start-product.ts';

const python = join(import.meta.dirname, '../../../../.holdfast/bench/pandas/bin/python');
const installCommand =
  'python3 -m venv .holdfast/bench/pandas && .holdfast/bench/pandas/bin/pip install -r data-plane/bench/scenarios/create/pandas-requirements.txt';

const code = 'import pandas as pd\nint(pd.DataFrame({"a": [1, 2]}).a.sum())';

/** The time of a new context and a first step in it that uses pandas, beside an interpreter that imports it. */
export async function measurePandasContext(stage: Stage, plan: Plan): Promise<void> {
  if (!existsSync(python)) {
    stage.note(
      `A context with pandas is not measured, because pandas is not installed. To install it: ${installCommand}`,
    );
    return;
  }
  const holdfast = await startProduct(stage, { env: { HOLDFAST_PYTHON: python } });
  const session = await holdfast.openSession();
  const sandboxUid = await session.sandboxUid();
  // The agent, the zygote, its next kernel, and the kernel of the default context.
  await session.runStep({ code });
  const isReady = () =>
    eventually(() => {
      const { length } = processesOf(sandboxUid);
      if (length !== 4) throw new Error(`${length} processes run in the sandbox, not 4`);
    }, 30_000);

  await runRounds(stage, {
    scenario: 'create',
    case: 'context with pandas',
    rounds: roundsOf(plan, { smoke: 3, full: 50 }),
    warmUp: amount(plan, { smoke: 1, full: 3 }),
    contestants: [
      {
        peer: product,
        measure: async () => {
          await isReady();
          return await useNewContext(session);
        },
      },
      {
        peer: 'bare Python',
        measure: async () => {
          const start = performance.now();
          const { stdout } = await promisify(execFile)(python, ['-c', `${code.replace(/(.*)$/, 'print($1)')}`]);
          return checked(start, stdout.trim());
        },
      },
    ],
  });
  await session.close();
  await holdfast.stop();
}

async function useNewContext({ openContext, runStep }: ProductSession): Promise<Measured[]> {
  const start = performance.now();
  const context = await openContext({ language: 'python' });
  const stepStart = performance.now();
  const { results } = await runStep({ code, contextId: context.id });
  const value = results[0]?.data['text/plain'];
  const measured = [...checked(start, value), ...checked(stepStart, value, 'first step')];
  await context.close();
  return measured;
}

function checked(start: number, value: unknown, metric = 'latency'): Measured[] {
  const ms = performance.now() - start;
  if (value !== '3') throw new Error(`the sum is ${value}, not 3`);
  return [{ metric, value: ms, unit: 'ms' }];
}
