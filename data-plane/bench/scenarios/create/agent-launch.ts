import { join } from 'node:path';
import { startAgent } from '../../../../session-agent/test/support/start-agent.ts';
import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { startRawPipe } from '../../peers/raw-pipe.ts';
import { bundledAgent, imageAgentEnv } from '../../stage/bundled-agent.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';

const session = { language: 'python', env: {}, prestart: true };
const step = { code: 'x = 1; x + 1' };

/** The time from the start of an agent's process to the result of its first step, beside that of an interpreter alone. */
export async function measureAgentLaunch(stage: Stage, plan: Plan): Promise<void> {
  const main = await bundledAgent(stage);
  const shared = { HOLDFAST_PYTHON: stage.python };
  const ways = [
    { peer: product, measure: () => launch({ ...shared, ...imageAgentEnv }, main) },
    {
      peer: 'Holdfast, from sources',
      measure: () => launch({ ...shared, NODE_COMPILE_CACHE: join(stage.dataDir, 'compile-cache') }),
    },
    { peer: 'raw pipe', measure: () => launchRawPipe(stage) },
  ];
  await runRounds(stage, {
    scenario: 'create',
    case: 'launch to first result',
    rounds: roundsOf(plan, { smoke: 1, full: 30 }),
    // The first launch from sources fills the cache of compiled code.
    warmUp: amount(plan, { smoke: 1, full: 3 }),
    contestants: ways,
  });
}

async function launch(env: Record<string, string>, main?: string): Promise<Measured[]> {
  const start = performance.now();
  await using agent = await startAgent(env, main);
  await agent.call('PUT', '/v1/session', session);
  const { value } = await agent.run(step);
  return firstResult(start, value);
}

async function launchRawPipe({ python }: Stage): Promise<Measured[]> {
  const closers: (() => Promise<unknown>)[] = [];
  const start = performance.now();
  const { run } = startRawPipe({ python, defer: (close) => void closers.push(close) });
  const { result } = await run({ ...step, output: '', language: 'python' });
  const measured = firstResult(start, result);
  for (const close of closers) await close();
  return measured;
}

function firstResult(start: number, value: unknown): Measured[] {
  const ms = performance.now() - start;
  if (value !== '2') throw new Error(`the first result is ${value}`);
  return [{ metric: 'latency', value: ms, unit: 'ms' }];
}
