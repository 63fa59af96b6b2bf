import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadNow } from '../header/describe-machine.ts';
import { describeStart } from '../header/describe-run.ts';
import { summarize } from '../measure/summarize.ts';
import { beyondBound } from '../report/beyond-bound.ts';
import type { Run } from '../report/read-run.ts';
import { drawTables } from '../report/tables.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { createStage } from '../stage/stage.ts';
import { InterruptedError } from './interrupted-error.ts';
import { parseRunOptions } from './options.ts';

/**
 * Runs scenarios, prints their tables, and writes all samples as JSON lines after one line with the header. A smoke run fails if a figure is
 * far beyond its bound.
 */
export async function runBench(args: string[]): Promise<void> {
  const options = parseRunOptions(
    args,
    scenarios.map(({ name }) => name),
  );
  const out = options.out ?? `.holdfast/bench/${new Date().toISOString().replaceAll(/[-:]|\..*/g, '')}.jsonl`;
  const notes: string[] = [];
  const note = (line: string) => {
    if (notes.includes(line)) return;
    notes.push(line);
    console.log(`note: ${line}`);
  };
  const samples: Run['samples'] = [];
  const { stage, endScenario, close } = await createStage({
    seed: options.seed,
    note,
    record: (one) => void samples.push(one),
  });

  async function measure(): Promise<void> {
    let done: Run | null = null;
    const header = await describeStart(stage, options);
    await endScenario();
    for (const { name, run } of scenarios.filter(({ name }) => options.scenarios.includes(name))) {
      console.log(`measuring ${name}`);
      await run(stage, options.plan);
      await endScenario();
      // A run that is interrupted later keeps the scenarios that are done.
      done = { header: { ...header, loadAtEnd: loadNow(), notes }, samples };
      await write(out, done);
    }
    if (done) console.log(drawTables(done));
    console.log(`written to ${out}`);
    const beyond = options.plan.size === 'smoke' ? beyondBound(summarize(samples)) : [];
    if (beyond.length > 0) throw new Error(`far beyond its bound: ${beyond.join('; ')}`);
  }

  try {
    await Promise.race([measure(), interrupted()]);
  } catch (error) {
    // The first failure counts; one of closing may follow from it.
    await close().catch(() => {});
    throw error;
  }
  await close();
}

/** Rejects at a signal. The scenario then goes on without its programs until this process exits, so its failures are not shown. */
async function interrupted(): Promise<never> {
  const signal = await Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name).then(() => name)));
  process.on('uncaughtException', () => {});
  throw new InterruptedError(`interrupted by ${signal}`);
}

async function write(path: string, { header, samples }: Run): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, [header, ...samples].map((line) => `${JSON.stringify(line)}\n`).join(''));
}
