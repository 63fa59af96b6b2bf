import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Holdfast, nothingRunsIn, startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

/** More kills than the suite has time for by default: HOLDFAST_TEST_KILLS=100. */
const kills = Number(process.env.HOLDFAST_TEST_KILLS ?? 2);
const killWithinMs = 300;

let database: TestDatabase;
let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
let holdfast: Holdfast;
const env = () => ({ HOLDFAST_DATA_DIR: dataDir.path, DATABASE_URL: database.url });

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await temporaryDataDir();
  holdfast = await startHoldfast(env());
});

afterAll(async () => {
  await holdfast.stop();
  await nothingRunsIn(dataDir.path);
  await dataDir.remove();
  await database.drop();
});

test(`whenever the server is killed, a job whose request is repeated with its key runs once, and its session ends: ${kills} times`, {
  timeout: 60_000 + kills * 15_000,
}, async () => {
  const ledger = join(dataDir.path, 'ledger');
  const code = `echo $1 >> ${ledger}; echo begun $1; sleep 0.1; echo made > made.txt; echo ended`;
  for (let index = 0; index < kills; index++) {
    const run = () =>
      holdfast.request(
        'POST',
        '/v1/run?inline=true',
        { language: 'bash', code, args: [`${index}`] },
        { 'idempotency-key': `k${index}` },
      );
    const first = run().catch(() => null);
    // While its session is made, or once the job has been admitted.
    if (index % 2 === 1) await admitted(`${index}`);
    await delay(killWithinMs * Math.random());
    await holdfast.kill();
    await first;
    holdfast = await startHoldfast(env());
    const job = await eventually(
      async (): Promise<Job> => {
        const { status, body } = await run();
        if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
        return body;
      },
      30_000,
      50,
    );
    const runs = (await readFile(ledger, 'utf8').catch(() => '')).split('\n').filter((line) => line === `${index}`);
    if (job.status === 'lost') expect(runs.length).toBeLessThanOrEqual(1);
    else {
      expect(job).toMatchObject({ status: 'succeeded', stdout: `begun ${index}\nended\n` });
      expect(job.artifacts.outputs).toHaveProperty(['made.txt']);
      expect(runs).toHaveLength(1);
    }
    await eventually(async () => {
      const { body } = await holdfast.request('GET', `/v1/sessions/${job.sessionId}`);
      expect(body).toMatchObject({ status: 'completed', endReason: 'job_ended', stepCount: 1 });
    });
  }
});

const admitted = (arg: string) =>
  eventually(async () => {
    const rows = await database.db.sql`select from steps where job->'args'->>0 = ${arg}`;
    expect(rows).toHaveLength(1);
  }, 30_000);
