import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

/** For a longer run set HOLDFAST_TEST_KILLS, for example to 100. */
const kills = Number(process.env.HOLDFAST_TEST_KILLS ?? 2);
const killWithinMs = 300;

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
});

afterAll(() => installation[Symbol.asyncDispose]());

test(`a job whose request is repeated after a kill runs once, and its session ends: ${kills} random kills`, {
  timeout: 60_000 + kills * 15_000,
}, async () => {
  const ledger = join(installation.dataDir, 'ledger');
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
    // Every other kill comes after the job was admitted; the others mostly while its session is being created.
    if (index % 2 === 1) await admitted(`${index}`);
    await delay(killWithinMs * Math.random());
    await holdfast.kill();
    await first;
    holdfast = await installation.start();
    const job = await eventually(async (): Promise<Job> => {
      const { status, body } = await run();
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      return body;
    }, 30_000);
    const runs = (await readFile(ledger, 'utf8').catch(() => '')).split('\n').filter((line) => line === `${index}`);
    const outcome = {
      status: job.status,
      stdout: job.stdout,
      outputs: Object.keys(job.artifacts.outputs),
      runs: runs.length,
    };
    const lost = { ...outcome, runs: Math.min(runs.length, 1) };
    const stdout = `begun ${index}\nended\n`;
    const succeeded = { status: 'succeeded', stdout, outputs: expect.arrayContaining(['made.txt']), runs: 1 };
    expect(outcome).toEqual(job.status === 'lost' ? lost : succeeded);
    await eventually(async () => {
      const { body } = await holdfast.request('GET', `/v1/sessions/${job.sessionId}`);
      expect(body).toMatchObject({ status: 'completed', endReason: 'job_ended', stepCount: 1 });
    });
  }
});

const admitted = (arg: string) =>
  eventually(async () => {
    const rows = await installation.database.db.sql`select from steps where job->'args'->>0 = ${arg}`;
    expect(rows).toHaveLength(1);
  }, 30_000);
