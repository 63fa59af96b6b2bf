import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runningProcesses } from '../../src/runtimes/process/running-processes.ts';
import { eventually } from '../support/eventually.ts';
import { removeDataDir } from '../support/remove-data-dir.ts';
import { type Holdfast, nothingRunsIn, startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
let holdfast: Holdfast | undefined;

beforeEach(async () => {
  dataDir = await temporaryDataDir();
});

afterEach(async () => {
  await holdfast?.kill();
  await nothingRunsIn(dataDir.path);
  await removeDataDir(dataDir.path);
});

test('ends with its sandboxes and says why when its Postgres is killed during a step', async () => {
  holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path });
  const { id } = await holdfast.createSession();
  const stream = holdfast.streamStep(id, { code: 'import time\nprint("on", flush=True)\ntime.sleep(60)' });
  await stream.next();
  stream.next().catch(() => {});
  const exited = once(holdfast.child, 'exit', { signal: AbortSignal.timeout(12_000) });
  process.kill(await postgresOf(holdfast.pid), 'SIGKILL');
  expect((await exited)[0]).toBe(1);
  const { output } = holdfast;
  await eventually(() => expect(output.join('\n')).toMatch(/holdfast: Postgres has ended/));
  await nothingRunsIn(dataDir.path);
}, 40_000);

async function postgresOf(parentPid: number): Promise<number> {
  for (const process of await runningProcesses()) {
    const program = await readlink(`/proc/${process.pid}/exe`).catch(() => '');
    if (process.parentPid === parentPid && program.endsWith('/postgres')) return process.pid;
  }
  throw new Error('no Postgres runs');
}
