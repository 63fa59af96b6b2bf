import type { Job } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { jobClient } from '../support/job-client.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let jobs: ReturnType<typeof jobClient>;
const start = async () => {
  holdfast = await installation.start();
  jobs = jobClient(holdfast);
};

beforeAll(async () => {
  installation = await createInstallation();
  await start();
});

afterAll(() => installation[Symbol.asyncDispose]());

const sessionOf = async ({ sessionId }: Pick<Job, 'sessionId'>) =>
  (await holdfast.request('GET', `/v1/sessions/${sessionId}`)).body;
const completed = (job: Pick<Job, 'sessionId'>) =>
  eventually(
    async () => expect(await sessionOf(job)).toMatchObject({ status: 'completed', endReason: 'job_ended' }),
    20_000,
  );
const stdoutOf = ({ artifacts }: Job) => artifacts.outputs['stdout.txt'];

test('the session of a job ends with it, and the files of the job exist until the session is deleted', async () => {
  const job = await jobs.runJob({
    language: 'bash',
    filename: 'main.sh',
    code: 'echo stored; echo more > made.txt; exit 1',
  });
  await completed(job);
  await eventually(async () => {
    const [row] = await installation.database.db.sql`select sandbox_gone_at from sessions where id = ${job.sessionId}`;
    expect(row?.sandbox_gone_at).not.toBeNull();
  });
  expect(await jobs.download(stdoutOf(job))).toMatchObject({ status: 200, text: 'stored\n' });
  expect(await jobs.download(job.artifacts.outputs['made.txt'])).toMatchObject({ status: 200, text: 'more\n' });
  expect((await holdfast.request('DELETE', `/v1/sessions/${job.sessionId}`)).status).toBe(204);
  for (const url of [stdoutOf(job), job.artifacts.outputs['made.txt'], job.artifacts.inputs['main.sh']])
    expect(await jobs.download(url)).toMatchObject({ status: 410 });
});

test('the output of a job outlives a sandbox that was killed', async () => {
  const { id: sessionId } = await holdfast.createSession();
  const job = await jobs.runJob({ sessionId, language: 'bash', code: 'echo stored' });
  const killing = 'import os, signal\nos.kill(os.getppid(), signal.SIGKILL)';
  expect(await holdfast.runStep(sessionId, { code: killing })).toMatchObject({ status: 'lost' });
  await eventually(async () => expect(await sessionOf({ sessionId })).toMatchObject({ status: 'failed' }), 30_000);
  expect(await jobs.download(stdoutOf(job))).toMatchObject({ status: 200, text: 'stored\n' });
});

test('no kernel is started in a session that was created for a job', async () => {
  const sandbox = 'agent=$(ps -o ppid= -p $PPID); ps -o args= -p $agent; ps -o args= --ppid $agent';
  const { stdout = '' } = await jobs.runJob({ language: 'bash', code: sandbox });
  const [agent, ...children] = stdout.trim().split('\n');
  expect(agent).toContain('session-agent');
  expect(children).toEqual([expect.stringMatching(/supervise\.py .*\/main\.sh$/)]);
});

test('a job runs to its end after its client has left, and its session ends', async () => {
  let seen = { sessionId: '', stepId: '' };
  for await (const { sessionId, stepId, type } of jobs.streamJob({
    language: 'bash',
    code: 'echo on; sleep 0.5; echo off',
  })) {
    seen = { sessionId, stepId };
    if (type === 'stdout') break;
  }
  await completed(seen);
  expect(await holdfast.history(seen.sessionId)).toMatchObject([{ id: seen.stepId, stdout: 'on\noff\n' }]);
});

test('the same key with the same request returns the same job, and with another request is rejected', async () => {
  const headers = { 'idempotency-key': 'once' };
  const body = { language: 'bash' as const, code: 'date +%N', files: { a: '1' } };
  const first = await jobs.runJob(body, { headers });
  await completed(first);
  expect(await jobs.runJob(body, { headers })).toEqual(first);
  for (const other of [{ stdin: 'x' }, { files: { a: '2' } }, { language: 'python' }]) {
    const answer = await holdfast.request('POST', '/v1/run', { ...body, ...other }, headers);
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency-mismatch']);
  }
  const session = await holdfast.request('POST', '/v1/sessions', {}, headers);
  expect(session.status).toBe(201);
  const given = { ...body, sessionId: session.body.id };
  const inGiven = await jobs.runJob(given, { headers });
  expect(inGiven.id).not.toBe(first.id);
  expect(await jobs.runJob(given, { headers })).toEqual(inGiven);
});

test('a repeated request is a conflict while the job runs', async () => {
  const headers = { 'idempotency-key': 'still' };
  const body = { language: 'bash' as const, code: 'sleep 1; echo done' };
  const first = jobs.runJob(body, { headers });
  await eventually(async () => {
    const answer = await holdfast.request('POST', '/v1/run', body, headers);
    expect(answer.body).toMatchObject({
      code: 'idempotency-conflict',
      detail: expect.stringContaining('still running'),
    });
  });
  expect(await first).toMatchObject({ stdout: 'done\n' });
});

test('a job outlives its replica: its true result is recorded once, its session ends, and a repeat finds it', async () => {
  const headers = { 'idempotency-key': 'crash' };
  const body = {
    language: 'bash' as const,
    filename: 'main.sh',
    code: 'echo on; sleep 2; echo $RANDOM > made.txt; echo off',
  };
  const cut = holdfast.request('POST', '/v1/run', body, headers).catch(() => 'cut');
  let row: { id: string; session_id: string } | undefined;
  await eventually(async () => {
    [row] = await installation.database.db
      .sql`select id, session_id from steps where status <> 'succeeded' and code = ${body.code}`;
    expect(row).toBeDefined();
  });
  const sessionId = row?.session_id ?? '';
  await eventually(async () => {
    const { body: step } = await holdfast.request('GET', `/v1/sessions/${sessionId}/steps/${row?.id}`);
    expect(step.stdout).toBe('on\n');
  });
  await holdfast.kill();
  expect(await cut).toBe('cut');
  await start();
  await completed({ sessionId });
  const repeated = await jobs.runJob(body, { headers });
  expect(repeated).toMatchObject({ id: row?.id, sessionId, exitCode: 0, stdout: 'on\noff\n' });
  expect(await jobs.download(repeated.artifacts.outputs['made.txt'])).toMatchObject({ status: 200 });
  expect(Object.keys(repeated.artifacts.inputs)).toEqual(['main.sh']);
  expect(await holdfast.history(sessionId)).toHaveLength(1);
}, 60_000);

test('URLs need a key unless they are signed', async () => {
  const [plain, signed] = [
    await jobs.runJob({ language: 'bash', code: 'echo plain' }),
    await jobs.runJob({ language: 'bash', filename: 'main.sh', code: 'echo signed' }, { query: '?signedSeconds=60' }),
  ];
  // Requests need a key once the first key exists.
  const key = { tenant: 'other', scopes: ['admin'], name: 'test' };
  expect((await holdfast.request('POST', '/v1/api-keys', key)).status).toBe(201);
  expect(await jobs.download(stdoutOf(plain))).toMatchObject({ status: 401 });
  expect(await jobs.download(stdoutOf(signed))).toMatchObject({ status: 200, text: 'signed\n' });
  expect(await jobs.download(signed.artifacts.inputs['main.sh'])).toMatchObject({ status: 200 });
});
