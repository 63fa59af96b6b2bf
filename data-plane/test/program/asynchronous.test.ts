import { newId, type Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let id: string;
beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  ({ id } = await holdfast.createSession());
});
afterAll(() => installation[Symbol.asyncDispose]());

const sleeping = 'import time; time.sleep(0.5); print("done")';
const post = (path: string, body: object, headers?: Record<string, string>) =>
  holdfast.request('POST', `/v1/sessions/${id}/${path}`, body, headers);

test('a step is answered while it runs, with its address, if the client does not wait', async () => {
  const accepted = await post('steps', { code: sleeping, wait: false });
  expect(accepted).toMatchObject({ status: 202, body: { outcome: null, finishedAt: null, code: sleeping } });
  expect(['queued', 'running']).toContain(accepted.body.status);
  const location = accepted.headers.get('location');
  expect(location).toBe(`/v1/sessions/${id}/steps/${accepted.body.id}`);
  const ended = await holdfast.request('GET', `${location}?waitSeconds=20`);
  expect(ended.body).toMatchObject({ id: accepted.body.id, status: 'succeeded', stdout: 'done\n' });
});

test('a repeat with the same key gets the same step, at any time', async () => {
  const headers = { 'Idempotency-Key': newId('uid') };
  const body = { code: sleeping, wait: false };
  const answers = [await post('steps', body, headers), await post('steps', body, headers)];
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  await holdfast.request('GET', `${answers[0]?.headers.get('location')}?waitSeconds=20`);
  expect(await post('steps', body, headers)).toMatchObject({ status: 202, body: { status: 'succeeded' } });
  expect(await post('steps', { ...body, code: '1' }, headers)).toMatchObject({ status: 422 });
});

test('jobs of a session are started, read, waited for and listed', async () => {
  const job = { language: 'python', code: sleeping };
  const accepted = await post('jobs', { ...job, wait: false });
  expect(accepted).toMatchObject({ status: 202, body: { status: 'running', exitCode: null, sessionId: id } });
  const location = accepted.headers.get('location');
  expect(location).toBe(`/v1/sessions/${id}/jobs/${accepted.body.id}`);
  const ended = await holdfast.request('GET', `${location}?waitSeconds=20&inline=true`);
  expect(ended.body).toMatchObject({ id: accepted.body.id, status: 'succeeded', exitCode: 0, stdout: 'done\n' });
  expect(await holdfast.request('GET', `${location}?inline=true`)).toMatchObject({ status: 200, body: ended.body });
  const waited = await post('jobs?inline=true', { language: 'bash', code: 'echo it; exit 2' });
  expect(waited).toMatchObject({ status: 200, body: { exitCode: 2, stdout: 'it\n' } });
  await holdfast.runStep(id, { code: '1' });
  const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/jobs?inline=true`)).body;
  expect(items.map((listed: Step) => listed.id)).toEqual([accepted.body.id, waited.body.id]);
  expect(items[1]).toEqual(waited.body);
  const alone = (await holdfast.request('GET', `/v1/sessions/${id}/jobs?limit=1`)).body;
  expect([alone.items.length, typeof alone.nextCursor]).toEqual([1, 'string']);
});

test.each([
  ['steps', { code: sleeping }],
  ['jobs', { language: 'python', code: sleeping }],
] as const)('a repeat may wait although the first request did not: %s', async (path, body) => {
  const headers = { 'Idempotency-Key': newId('uid') };
  const accepted = await post(path, { ...body, wait: false }, headers);
  expect(accepted.status).toBe(202);
  expect((await post(path, body, headers)).status).toBe(409);
  await holdfast.request('GET', `${accepted.headers.get('location')}?waitSeconds=20`);
  const { id: same } = accepted.body;
  expect(await post(path, body, headers)).toMatchObject({ status: 200, body: { id: same, status: 'succeeded' } });
  expect(await post(path, { ...body, wait: true }, headers)).toMatchObject({ status: 200, body: { id: same } });
});

test('a process is the same one however long its repeats wait', async () => {
  const headers = { 'Idempotency-Key': newId('uid') };
  const started = await post('processes', { command: 'sleep 0.3; echo it' }, headers);
  const ended = await post('processes', { command: 'sleep 0.3; echo it', waitSeconds: 20 }, headers);
  expect(ended.body).toMatchObject({ id: started.body.id, status: 'exited', stdout: 'it\n' });
});

test('a job with a session of its own is read there after the session has ended', async () => {
  const accepted = await holdfast.request('POST', '/v1/run', { language: 'bash', code: 'sleep 0.3', wait: false });
  expect(accepted).toMatchObject({ status: 202, body: { status: 'running' } });
  const ended = await holdfast.request('GET', `${accepted.headers.get('location')}?waitSeconds=20`);
  expect(ended.body).toMatchObject({ status: 'succeeded' });
});

test('a failed job has no state, and an interrupted step of a session that ended has lost its own', async () => {
  const job = await post('jobs', { language: 'bash', code: 'exit 1' });
  const [step] = (await holdfast.history(id)).filter((one) => one.id === job.body.id);
  expect(step?.outcome).toEqual({ tag: 'error', kind: 'runtime-error', stateSurvived: null });
  const other = await holdfast.createSession();
  const running = await holdfast.request('POST', `/v1/sessions/${other.id}/steps`, {
    code: 'import time; time.sleep(60)',
    wait: false,
  });
  expect(running.status).toBe(202);
  await holdfast.request('POST', `/v1/sessions/${other.id}/complete`);
  await eventually(async () => {
    const [ended] = await holdfast.history(other.id);
    expect(ended?.outcome).toMatchObject({ tag: 'error', stateSurvived: false });
  });
});

test.each([
  ['python', 'sum(i * i for i in range(4_000_000))', 0.05],
  ['node', 'let n = 0; for (let i = 0; i < 2e8; i++) n += i; n', 0.05],
  ['bash', 'for ((i = 0; i < 200000; i++)); do :; done; (for ((i = 0; i < 200000; i++)); do :; done)', 0.1],
  ['ruby', 'n = 0; 4_000_000.times { n += 1 }; n', 0.05],
] as const)('a step tells what it used: %s', async (language, code, atLeast) => {
  await holdfast.runStep(id, { language, code: language === 'bash' ? ':' : '0' });
  const step = await holdfast.runStep(id, { language, code });
  expect(step.usage?.cpuSeconds).toBeGreaterThan(atLeast);
  expect(step.usage?.cpuSeconds).toBeLessThan((step.durationMs ?? 0) / 1000 + 0.5);
  expect(step.usage?.memoryBytesMax).toBeGreaterThan(2 ** 20);
  const idle = await holdfast.runStep(id, { language, code: language === 'bash' ? ':' : '1' });
  expect(idle.usage?.cpuSeconds).toBeLessThan((step.usage?.cpuSeconds ?? 0) / 2);
});

test('a job tells what all of its processes used, and the session what all have', async () => {
  const { id: sessionId } = await holdfast.createSession();
  const code = 'python3 -c "x = bytearray(64 << 20); sum(i * i for i in range(2_000_000))"';
  const { body: job } = await holdfast.request('POST', `/v1/sessions/${sessionId}/jobs`, { language: 'bash', code });
  expect(job.usage.cpuSeconds).toBeGreaterThan(0.05);
  expect(job.usage.memoryBytesMax).toBeGreaterThan(64 * 2 ** 20);
  const step = await holdfast.runStep(sessionId, { code: 'sum(i * i for i in range(500_000))' });
  const { body: usage } = await holdfast.request('GET', `/v1/sessions/${sessionId}/usage`);
  expect(usage.cpuSeconds).toBeCloseTo(job.usage.cpuSeconds + (step.usage?.cpuSeconds ?? 0), 4);
  expect(usage.memoryBytesMax).toBe(Math.max(job.usage.memoryBytesMax, step.usage?.memoryBytesMax ?? 0));
  expect(usage.historyBytes).toBeGreaterThan(code.length);
  expect(usage.sandbox.memoryBytes).toBeGreaterThan(10 * 2 ** 20);
  expect(usage.sandbox.processes).toBeGreaterThan(1);
  expect(usage.sandbox.diskBytesTotal).toBeGreaterThan(usage.sandbox.diskBytesUsed);
});

test.each([
  ['memory_limit', { memoryMb: 64 }, 'python', 'x = []\nwhile True: x.append(bytearray(1 << 20))'],
  ['memory_limit', { memoryMb: 64 }, 'node', 'const x = []; for (;;) x.push(Buffer.alloc(1 << 20, 1))'],
  [
    'memory_limit',
    { memoryMb: 64 },
    'bash',
    'setsid python3 -c "x = b\'a\' * (200 << 20); import time; time.sleep(60)" & wait',
  ],
  ['cpu_limit', { cpuSeconds: 1 }, 'bash', 'python3 -c "while True: pass" & while true; do :; done'],
  ['process_limit', { processesMax: 5 }, 'bash', 'for i in 1 2 3 4 5 6 7 8 9; do sleep 60 & done; wait'],
  ['file_limit', { fileMb: 1 }, 'bash', 'exec head -c 3000000 /dev/zero > large'],
] as const)('a job that exceeds a limit ends with the cause %s: %o in %s', async (cause, limits, language, code) => {
  const { body: job } = await post('jobs?inline=true', { language, code, limits, timeoutSeconds: 30 });
  expect(job).toMatchObject({ status: 'failed', cause: { code: cause } });
});

test('a job within its limits is not ended', async () => {
  const limits = { memoryMb: 512, cpuSeconds: 20, processesMax: 20, fileMb: 2 };
  const code = 'head -c 1000000 /dev/zero > small & sleep 0.5 & wait; echo ok';
  const { body: job } = await post('jobs?inline=true', { language: 'bash', code, limits });
  expect(job).toMatchObject({ status: 'succeeded', stdout: 'ok\n' });
});
