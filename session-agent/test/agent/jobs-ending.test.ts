import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, type JobRequest, readTo, report } from '../support/agent-client.ts';
import { processesOf, processesRunning } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

const start = () => startAgent({ HOLDFAST_STOP_GRACE_MS: '300', HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await start();
});
afterAll(() => agent[Symbol.asyncDispose]());

const endings = { python: 'py', node: 'js', bun: 'ts', bash: 'sh' };

function job(
  language: JobRequest['language'],
  code: string,
  { by = agent, ...request }: Partial<JobRequest> & { by?: AgentUnderTest } = {},
): JobRequest {
  const filename = `${newId('job')}.${endings[language]}`;
  writeFileSync(join(by.workspace, filename), code);
  return { language, filename, ...request };
}

/** Opens a job and waits for its first output. */
async function begun(request: JobRequest, by = agent) {
  const opened = await by.openJob(request);
  await readTo(opened.frames, 'stdout');
  return { ...opened, ended: async () => report(opened.jobId, await all(opened.frames)).done };
}

/** A number that identifies a test's processes by their command lines. */
const seconds = () => `1${String(Math.random()).slice(2, 9)}`;

test.for([
  ['python', 'print("up", flush=True)\nwhile True: pass'],
  ['node', 'console.log("up"); for (;;) {}'],
  ['bun', 'console.log("up"); await new Promise(() => setInterval(() => {}, 1000));'],
  ['bash', 'echo up; sleep 600'],
] as const)('terminates a job of %s that runs too long, and interrupts another', async ([language, code]) => {
  const late = await agent.runJob(job(language, code, { timeoutMs: 1000 }));
  expect(late.done).toMatchObject({ status: 'timed_out', cause: { code: 'timeout', signal: 'SIGTERM' } });
  const { jobId, ended } = await begun(job(language, code));
  await agent.call('POST', `/v1/steps/${jobId}/interrupt`);
  expect(await ended()).toMatchObject({ status: 'interrupted', cause: { code: 'interrupt', signal: 'SIGINT' } });
});

test('lets a job finish its work after the timeout signal, and still reports a timeout', async () => {
  const code = 'trap "echo cleaned up; exit 7" TERM; echo up; sleep 600 & wait';
  const { stdout, done } = await agent.runJob(job('bash', code, { timeoutMs: 500 }));
  expect(stdout).toBe('up\ncleaned up\n');
  expect(done).toMatchObject({ status: 'timed_out', cause: { code: 'timeout', exitCode: 7 } });
});

/** Leaves a process behind that ignores signals and has left group, session, parents and environment. */
const leave = (sleeping: string) => `
import os, signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
        os.execve('/bin/sleep', ['sleep', '${sleeping}'], {})
    os._exit(0)
os.wait()
`;

test.for([
  ['ends by itself', ''],
  [
    'runs too long and ignores the signal',
    'import time, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)',
  ],
])('ends all processes of a job that %s', async ([, then]) => {
  const sleeping = seconds();
  const { jobId, frames } = await agent.openJob(
    job('python', `${leave(sleeping)}\nprint('up', flush=True)\ninput()\n${then}`, { timeoutMs: 1000, stdin: '\n' }),
  );
  const { done } = report(jobId, await all(frames));
  expect(done).toMatchObject(then ? { status: 'timed_out', cause: { signal: 'SIGKILL' } } : { status: 'succeeded' });
  expect(processesRunning(['sleep', sleeping])).toBe(0);
});

test('kills processes of a job only when the job ends', async () => {
  const sleeping = seconds();
  const { jobId, ended } = await begun(job('python', `${leave(sleeping)}\nprint('up', flush=True)\nwhile True: pass`));
  await until('the process to be there', () => processesRunning(['sleep', sleeping]) === 1);
  await agent.call('POST', `/v1/steps/${jobId}/interrupt`);
  expect((await ended()).status).toBe('interrupted');
  expect(processesRunning(['sleep', sleeping])).toBe(0);
});

test('does not begin the program of a job that is stopped before', async () => {
  const jobId = newId('job');
  const body = { jobId, args: [], stdin: '', timeoutMs: 20_000, ...job('bash', 'echo ran > ran') };
  const [started] = await Promise.all([
    agent.send('POST', '/v1/jobs', body),
    until('the job to be known', async () => (await agent.call('POST', `/v1/steps/${jobId}/interrupt`)).status === 200),
  ]);
  await started.body?.cancel();
  const { done } = report(jobId, await all(await agent.attach(jobId)));
  expect(done.status).toBe('interrupted');
});

test('runs sixteen jobs side by side and beside steps, and rejects a seventeenth', async () => {
  const jobs = await Promise.all(Array.from({ length: 16 }, () => begun(job('bash', 'echo up; sleep 600'))));
  expect((await agent.run({ code: '6 * 7' })).value).toBe('42');
  await expect(agent.openJob(job('bash', 'echo up'))).rejects.toThrow('quota-exceeded');
  for (const { jobId } of jobs) await agent.call('POST', `/v1/steps/${jobId}/interrupt`);
  const ends = await Promise.all(jobs.map(({ ended }) => ended()));
  expect(ends.map(({ status }) => status)).toEqual(Array(16).fill('interrupted'));
  expect((await agent.runJob(job('bash', 'echo up'))).stdout).toBe('up\n');
}, 30_000);

test('waits in a fence for the ends of jobs, and starts none after it', async () => {
  await using own = await start();
  const defiant = job('bash', 'trap "" INT; echo up; while :; do sleep 1; done', { by: own });
  const { ended } = await begun(defiant, own);
  expect((await own.call('POST', '/v1/fence')).status).toBe(204);
  expect(processesOf(own.uid).filter((pid) => pid !== own.pid)).toEqual([]);
  expect(await ended()).toMatchObject({ status: 'interrupted', cause: { code: 'session_ended', signal: 'SIGKILL' } });
  await expect(own.openJob(job('bash', 'echo up', { by: own }))).rejects.toThrow('session-ended');
});

test.for(['SIGTERM', 'SIGKILL'] as const)('ends its jobs when the agent ends by %s', async (signal) => {
  await using own = await start();
  const sleeping = seconds();
  await begun(job('bash', `echo up; sleep ${sleeping}`, { by: own }), own);
  own.signal(signal);
  await own.exited;
  await until('the job to be gone', () => processesRunning(['sleep', sleeping]) === 0);
});

test('ends only the job if its code kills the supervisor', async () => {
  const { done } = await agent.runJob(job('bash', 'kill -9 $PPID; sleep 600'));
  expect(done).toMatchObject({ status: 'failed', cause: { code: 'process_exited', signal: 'SIGKILL' } });
  expect((await agent.runJob(job('bash', 'kill -9 0'))).done).toMatchObject({ cause: { signal: 'SIGKILL' } });
  expect((await agent.runJob(job('bash', 'echo still'))).stdout).toBe('still\n');
});

test('learns of the end of a job whose code has stopped its supervisor, and holds it to its limits', async () => {
  const { done } = await agent.runJob(job('bash', 'kill -STOP $PPID; exit 3', { timeoutMs: 60_000 }));
  expect(done).toMatchObject({ status: 'failed', cause: { code: 'process_exited', exitCode: 3 } });
  const spinning = 'kill -STOP $PPID; sleep 0.3; kill -STOP $PPID; while :; do :; done';
  const limited = await agent.runJob(job('bash', spinning, { timeoutMs: 60_000, limits: { cpuSeconds: 1 } }));
  expect(limited.done).toMatchObject({ cause: { code: 'cpu_limit' } });
}, 30_000);
