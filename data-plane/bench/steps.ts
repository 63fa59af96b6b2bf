/**
 * Compares step round trips with their minimum: a round trip over a raw pipe to a Python process, plus one durable insert. Every round times
 * all three one after the other, so that changes in the machine's speed affect all of them. The result is the median of the rounds' ratios.
 * Results are checked before they are timed.
 */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHoldfast } from '../test/support/start-holdfast.ts';
import { type Case, cases } from './cases.ts';
import { durableInsert } from './durable-insert.ts';
import { describeMachine } from './machine.ts';
import { quantile } from './quantile.ts';
import { rawPipe } from './raw-pipe.ts';
import { startDatabase } from './start-database.ts';
import { stepClient } from './step-client.ts';

const dataDir = join(tmpdir(), `holdfast-bench-${process.pid}`);
const database = await startDatabase(join(dataDir, 'database'));
const holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir, DATABASE_URL: database.url });
const pipe = rawPipe(process.env.HOLDFAST_PYTHON ?? 'python3');
const insert = await durableInsert(database.address);
const session = await holdfast.createSession();
const steps = stepClient(holdfast.url, session.id);

console.log(await describeMachine(dataDir));
console.log(
  '\nms: p50 (p10 to p90); ratio: durable step / (raw pipe + durable insert), median of the rounds (p10 to p90)\n',
);
console.log(row(['case', 'rounds', 'raw pipe', 'durable insert', 'durable step', 'ratio']));
try {
  for (const one of cases) console.log(row(await measure(one)));
} finally {
  pipe.close();
  await steps.close();
  await insert.close();
  await holdfast.stop();
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();

async function measure({ name, code, output, result, rounds }: Case): Promise<string[]> {
  const runStep = () => steps.runStep(code);
  const [raw, step] = [await pipe.run(code), await runStep()];
  const expected = JSON.stringify({ output, result });
  const shown = { output: step.stdout, result: step.results[0]?.data['text/plain'] ?? null };
  if (JSON.stringify(raw) !== expected) throw new Error(`${name}: the raw pipe gave a wrong result`);
  if (JSON.stringify(shown) !== expected) throw new Error(`${name}: the step gave a wrong result`);

  const times = { pipe: [] as number[], insert: [] as number[], step: [] as number[], ratio: [] as number[] };
  const warmUp = rounds;
  for (let round = -warmUp; round < rounds; round++) {
    const pipeMs = await timed(() => pipe.run(code));
    const insertMs = await timed(() => insert.run(Buffer.from(output)));
    const stepMs = await timed(runStep);
    if (round < 0) continue;
    times.pipe.push(pipeMs);
    times.insert.push(insertMs);
    times.step.push(stepMs);
    times.ratio.push(stepMs / (pipeMs + insertMs));
  }
  return [name, String(rounds), spread(times.pipe), spread(times.insert), spread(times.step), spread(times.ratio)];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function spread(values: number[]): string {
  const [p10, p50, p90] = [0.1, 0.5, 0.9].map((q) => quantile(values, q).toFixed(2));
  return `${p50} (${p10} to ${p90})`;
}

function row(cells: string[]): string {
  return cells.map((cell, i) => cell.padEnd([16, 8, 24, 24, 24, 24][i] ?? 0)).join('');
}
