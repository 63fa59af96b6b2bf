import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { runRounds } from '../../measure/run-rounds.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { startProduct } from '../../stage/start-product.ts';
import { startProgram } from '../../stage/start-program.ts';
import type { Scenario } from '../scenario.ts';
import { stubOutput } from './stubs/stub-runtime.ts';

const inFlight = 16;
const base = `${inFlight} sessions`;

/**
 * The same number of steps in flight on more and more sessions of one Holdfast. Its agents are stubs in one process, because thousands of
 * real ones need more memory than a machine has. Each of them answers as fast as any other, so only the number of sessions differs.
 */
export const sessions: Scenario = { name: 'sessions', run };

async function run(stage: Stage, plan: Plan): Promise<void> {
  const counts = possible(stage, amount(plan, { smoke: [1, inFlight, 100], full: [1, inFlight, 100, 1000, 10_000] }));
  const steps = amount(plan, { smoke: 160, full: 1600 });
  const { ids, runStep } = await startWithStubs(stage, Math.max(...counts));
  await inTurns(ids, async (id) => {
    const { stdout } = await runStep(id);
    if (stdout !== stubOutput) throw new Error(`session ${id} gave a wrong result: ${stdout}`);
  });
  await runRounds(stage, {
    scenario: 'sessions',
    case: `${inFlight} in flight, stub agents`,
    rounds: roundsOf(plan, { smoke: 5, full: 10 }),
    warmUp: 2,
    contestants: counts.map((count) => ({
      peer: count === 1 ? '1 session' : `${count.toLocaleString('en')} sessions`,
      base,
      async measure() {
        const drawn = Array.from({ length: steps }, () => ids[Math.floor(stage.random() * count)] ?? '');
        const start = performance.now();
        await inTurns(drawn, runStep);
        return [{ metric: 'throughput', value: (steps * 1000) / (performance.now() - start), unit: '1/s' }];
      },
    })),
  });
}

/** Each session keeps one connection to its agent open. Some have a second one for a while, if their lease was renewed during a step. */
function possible({ note }: Pick<Stage, 'note'>, counts: readonly number[]): number[] {
  const limit = Number(/^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024);
  const least = (count: number) => 1.5 * count + 500;
  for (const count of counts.filter((count) => least(count) > limit))
    note(
      `${count.toLocaleString('en')} sessions are not measured, because that takes ${least(count)} open files and the limit is ${limit} (ulimit -n)`,
    );
  return counts.filter((count) => least(count) <= limit);
}

/** A Holdfast with a database of its own, this many sessions, and as many connections to it as steps are in flight. */
async function startWithStubs(stage: Stage, count: number) {
  const program = (name: string) => join(import.meta.dirname, 'stubs', name);
  const agents = await startProgram(stage, { args: [program('agents.ts')], env: {} });
  // The next Holdfast on the same database would have to end thousands of sessions first.
  const url = await (await stage.database()).create('stubs');
  const env = { STUB_AGENTS_PORT: String(agents.port), DATABASE_URL: url };
  const holdfast = await startProduct(stage, { env, program: program('serve.ts') });
  const ids: string[] = [];
  await inTurns(Array.from({ length: count }), async () => {
    ids.push((await holdfast.createSession()).id);
  });
  const connections = new Pool(holdfast.url, { connections: inFlight });
  stage.defer(() => connections.close());

  async function runStep(id: string): Promise<{ stdout: string }> {
    const { statusCode, body } = await connections.request({
      method: 'POST',
      path: `/v1/sessions/${id}/steps`,
      headers: { ...holdfast.headers, 'content-type': 'application/json' },
      body: '{"code": "x = 1; x + 1"}',
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
    return JSON.parse(text);
  }
  return { ids, runStep };
}

/** Works on the items in their order, on as many at once as steps are in flight. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}
