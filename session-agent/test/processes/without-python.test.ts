import { afterAll, beforeAll, expect, test } from 'vitest';
import { processesRunning } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';
import { all, processClient, readTo, report } from './support/process-client.ts';

let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_PYTHON: '/no/python', HOLDFAST_STOP_GRACE_MS: '300' });
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

/** A number that identifies a test's processes by their command lines. */
const seconds = () => `1${String(Math.random()).slice(2, 9)}`;

test('streams both ways, with streams that can be opened by name', async () => {
  const { processId, frames } = await processes.open({
    command: 'read line; echo "got $line" > /dev/stdout; echo err > /dev/stderr; cat; exit 3',
    stdin: true,
  });
  await processes.input(processId, 'word\n');
  await readTo(frames, 'got word\n');
  await processes.input(processId, 'rest', '?end=true');
  const { stdout, done } = report(processId, await all(frames));
  expect(stdout).toBe('rest');
  expect(done).toMatchObject({ status: 'exited', exitCode: 3, usage: null, stderrBytes: 4 });
});

test('has terminals', async () => {
  const { stdout, done } = await processes.run({
    command: 'stty size < /dev/tty; exit 2',
    terminal: { columns: 90, rows: 20 },
  });
  expect(stdout).toBe('20 90\r\n');
  expect(done).toMatchObject({ status: 'exited', exitCode: 2 });
});

test('refuses limits, which it could not hold', async () => {
  const answer = await processes.send({ command: ['true'], limits: { memoryMb: 100 } });
  expect(await answer.json()).toMatchObject({
    code: 'unsupported-by-runtime',
    detail: expect.stringContaining('python3'),
  });
});

test.for([
  ['a program that is missing', ['no-such-program']],
  ['arguments that are too long', ['true', 'x'.repeat(500_000)]],
] as const)('names the reason why it does not start %s', async ([, command]) => {
  const answer = await processes.send({ command: [...command] });
  expect(await answer.json()).toMatchObject({ code: 'command-not-started' });
});

test('ends by its timeout, by a signal, and with all that was left behind', async () => {
  const late = await processes.run({ command: 'trap "" TERM; while :; do sleep 1; done', timeoutMs: 100 });
  expect(late.done).toMatchObject({ status: 'timed_out', signal: 'SIGKILL' });
  const { processId, frames } = await processes.open({ command: 'echo up; sleep 600' });
  await readTo(frames, 'up');
  await processes.signal(processId, 'SIGINT');
  expect(report(processId, await all(frames)).done).toMatchObject({ status: 'signalled', signal: 'SIGINT' });
  const sleeping = seconds();
  await processes.run({ command: `sleep ${sleeping} > /dev/null 2>&1 &` });
  await until('the process that was left behind', () => processesRunning(['sleep', sleeping]) === 1);
  expect((await agent.call('DELETE', '/v1/processes')).status).toBe(204);
  expect(processesRunning(['sleep', sleeping])).toBe(0);
});
