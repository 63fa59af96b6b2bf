import { expect } from 'vitest';
import { processClient } from '../data-plane/test/processes/process-client.ts';
import { eventually } from '../data-plane/test/support/eventually.ts';
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

/** Expects git to work in two directories outside the workspace, beside the operations on files there. */
export async function expectGit(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession();
  const processes = processClient(holdfast, id);
  const made = (await processes.run({ command: ['mktemp', '-d', '/tmp/git-XXXXXX'] })).stdout.trim();
  const [origin, clone] = [`${made}/origin.git`, `${made}/clone`];
  const identity = ['user.name=Ada', 'user.email=ada@example.com', 'init.defaultBranch=main'];
  const settings = identity.flatMap((setting) => ['-c', setting]);
  const git = async (cwd: string, ...words: string[]) => {
    const ended = await processes.run({ command: ['git', ...settings, ...words], cwd });
    expect(ended, ended.stderr).toMatchObject({ status: 'exited', exitCode: 0 });
    return ended.stdout;
  };
  // The file has a line of JSON.
  const path = `/v1/sessions/${id}/files/${encodeURIComponent(`${clone}/notes.json`)}`;
  const write = async (notes: string[]) =>
    expect((await holdfast.request('PUT', path, notes)).status).toBeLessThan(300);
  const read = async () => (await holdfast.request('GET', path)).body;
  await git(made, 'init', '--bare', origin);
  await git(made, 'clone', origin, clone);
  await write(['one']);
  await git(clone, 'add', 'notes.json');
  await git(clone, 'commit', '-m', 'The first notes');
  await git(clone, 'push', 'origin', 'main');
  await git(clone, 'switch', '--create', 'more');
  await write(['one', 'two']);
  expect(await git(clone, 'diff')).toContain('\n+["one","two"]\n');
  await git(clone, 'commit', '--all', '-m', 'A second note');
  await git(clone, 'push', '--set-upstream', 'origin', 'more');
  expect(await git(origin, 'log', '--format=%s by %an', 'more')).toBe('A second note by Ada\nThe first notes by Ada\n');
  await git(clone, 'switch', 'main');
  expect(await read()).toEqual(['one']);
  await git(clone, 'merge', 'more');
  expect(await read()).toEqual(['one', 'two']);
  expect(await git(clone, 'status', '--short', '--branch')).toBe('## main...origin/main [ahead 1]\n');
  await processes.run({ command: ['rm', '-r', made] });
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

/** Expects a process to be held to its limits, with all that it starts. */
export async function expectProcessLimits(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession();
  const processes = processClient(holdfast, id);
  const busy = await processes.run({ command: 'while :; do :; done & while :; do :; done', limits: { cpuSeconds: 1 } });
  expect(busy).toMatchObject({ status: 'signalled', signal: 'SIGKILL', cause: { code: 'cpu_limit' } });
  const many = await processes.run({
    command: 'for i in 1 2 3 4 5; do sleep 60 & done; wait',
    limits: { processesMax: 3 },
  });
  expect(many).toMatchObject({ status: 'signalled', cause: { code: 'process_limit' } });
  const code = 'x = []\nwhile True: x.append(bytearray(b"x" * (1 << 20)))';
  const large = await processes.run({ command: ['python3', '-c', code], limits: { memoryMb: 64 } });
  expect(large).toMatchObject({ status: 'signalled', cause: { code: 'memory_limit' } });
  const long = await processes.run({
    command: ['dd', 'if=/dev/zero', 'of=/tmp/long', 'bs=1M', 'count=3'],
    limits: { fileMb: 1 },
  });
  expect(long).toMatchObject({ status: 'signalled', signal: 'SIGXFSZ', cause: { code: 'file_limit' } });
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

/** Expects all output of a process to be there once, although `kill` kills the data-plane while it writes. */
export async function expectOutputOverKill(at: {
  readonly holdfast: Holdfast;
  kill: () => Promise<void>;
}): Promise<void> {
  const { id } = await at.holdfast.createSession();
  const read = (waitSeconds: number) => processClient(at.holdfast, id).read(started.id, waitSeconds);
  const command = 'for i in $(seq 1000); do echo "line $i"; sleep 0.01; done';
  const started = await processClient(at.holdfast, id).start({ command });
  await eventually(async () => expect((await read(0)).stdout).toContain('line 50\n'), 30_000);
  await at.kill();
  const ended = await eventually(async () => {
    const process = await read(30);
    expect(process.status).not.toBe('running');
    return process;
  }, 120_000);
  expect(ended).toMatchObject({ status: 'exited', exitCode: 0, truncated: false });
  expect(ended.stdout).toBe(Array.from({ length: 1000 }, (_, i) => `line ${i + 1}\n`).join(''));
  await at.holdfast.request('DELETE', `/v1/sessions/${id}`);
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
