import { expect } from 'vitest';
import { processClient } from '../data-plane/test/processes/process-client.ts';
import type { client } from '../data-plane/test/support/start-holdfast.ts';

type Holdfast = { url: string } & Pick<ReturnType<typeof client>, 'request' | 'createSession'>;

/** Expects processes to run with arguments, a shell, input, signals and a terminal, and to be refused by name. */
export async function expectProcesses(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession({ files: { 'a.txt': 'one\n' } });
  const processes = processClient(holdfast, id);
  expect(await processes.run({ command: ['cat', 'a.txt'] })).toMatchObject({
    status: 'exited',
    exitCode: 0,
    stdout: 'one\n',
  });
  const shell = await processes.run({ command: 'echo $X; pwd; exit 3', cwd: '/tmp', env: { X: 'y' } });
  expect(shell).toMatchObject({ status: 'exited', exitCode: 3, stdout: 'y\n/tmp\n', cwd: '/tmp' });
  expect(await processes.run({ command: ['cat'], stdin: 'given' })).toMatchObject({ stdout: 'given' });
  expect(await processes.run({ command: ['sleep', '60'], timeoutSeconds: 0.5 })).toMatchObject({ status: 'timed_out' });
  expect((await processes.attempt({ command: ['no-such-program'] })).body.code).toBe('command-not-started');
  expect((await processes.attempt({ command: ['true'], cwd: 'a.txt' })).status).toBe(400);
  const cat = await processes.start({ command: ['cat'], stdin: true });
  expect((await processes.post(cat.id, 'stdin', { text: 'typed\n' })).status).toBe(200);
  expect((await processes.post(cat.id, 'signal', { signal: 'SIGTERM' })).status).toBe(204);
  expect(await processes.read(cat.id, 30)).toMatchObject({ status: 'signalled', signal: 'SIGTERM', stdout: 'typed\n' });
  const size = await processes.run({ command: 'stty size', terminal: { columns: 91, rows: 33 } });
  expect(size.stdout.trim()).toBe('33 91');
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

/** Expects a process to end before the files of its session are saved for a pause. */
export async function expectProcessEndInPause(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession();
  const processes = processClient(holdfast, id);
  const server = await processes.start({ command: 'while sleep 0.01; do date +%s%N > late.txt; done' });
  expect((await holdfast.request('POST', `/v1/sessions/${id}/pause`, { force: true })).body.status).toBe('paused');
  const ended = await processes.read(server.id, 30);
  expect(ended.status).not.toBe('running');
  expect(ended.cause?.code).toBe('session_paused');
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

/** Expects a policy that forbids shell commands to end the processes that run. */
export async function expectProcessEndByPolicy(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession();
  const processes = processClient(holdfast, id);
  const server = await processes.start({ command: ['sleep', '600'] });
  const policy = { execution: { allowShellCommands: false } };
  expect((await holdfast.request('PATCH', `/v1/sessions/${id}`, { policy })).status).toBe(200);
  expect(await processes.read(server.id, 30)).toMatchObject({
    status: 'signalled',
    signal: 'SIGKILL',
    cause: { code: 'policy_changed' },
  });
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}
