import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { all, jsonOf, processClient, readTo, report } from './support/process-client.ts';

let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_STOP_GRACE_MS: '300', HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

test('runs a program with its arguments as they are', async () => {
  const { stdout, stderr, done, frames } = await processes.run({
    command: ['printf', '%s|', 'a b', '$HOME', "'", 'é'],
  });
  expect(stdout).toBe("a b|$HOME|'|é|");
  expect(stderr).toBe('');
  expect(done).toMatchObject({ status: 'exited', exitCode: 0, signal: null, cause: null, outputIncomplete: false });
  expect(frames[0]).toMatchObject({ type: 'started', position: 1 });
  expect(jsonOf(frames[0]!)).toMatchObject({ cwd: agent.workspace });
});

test('runs a text in a shell that is not a login shell', async () => {
  const { stdout, stderr, done } = await processes.run({
    command: 'shopt -q login_shell || echo plain; echo err >&2; exit 7',
  });
  expect(stdout).toBe('plain\n');
  expect(stderr).toBe('err\n');
  expect(done).toMatchObject({ status: 'exited', exitCode: 7 });
});

test('terminal', async () => {
  const { processId, frames } = await processes.open({
    command: ['bash', '--norc', '-i'],
    terminal: { columns: 80, rows: 24 },
  });
  await readTo(frames, '$ ');
  await processes.input(processId, 'stty size; tty; echo $$ $(ps -o tpgid= -p $$)\r');
  console.log(await readTo(frames, '24 80'));
  await processes.input(processId, 'exit 3\r');
  console.log(report(processId, await all(frames)));
});
