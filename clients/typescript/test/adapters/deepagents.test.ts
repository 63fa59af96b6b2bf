import { createDeepAgent } from 'deepagents';
import { AIMessage, fakeModel, ToolMessage } from 'langchain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../../../data-plane/test/support/installation.ts';
import { createSandbox, type HoldfastSandbox } from '../../src/adapters/deepagents/deepagents.ts';
import { Holdfast, type Session } from '../../src/index.ts';

let installation: Installation;
let session: Session;
let sandbox: HoldfastSandbox;

beforeAll(async () => {
  installation = await createInstallation();
  const { url } = await installation.start();
  session = await new Holdfast({ url }).sessions.create();
  sandbox = await createSandbox(session, { timeoutSeconds: 20 });
});

afterAll(() => installation[Symbol.asyncDispose]());

const bytes = (text: string) => new TextEncoder().encode(text);

test('a deep agent writes, runs and mends a program with its own tools', async () => {
  const program = `${sandbox.workspace}/primes.py`;
  const model = fakeModel()
    .respondWithTools([
      {
        name: 'write_file',
        args: {
          file_path: program,
          content: 'print([n for n in range(2, 20) if all(n % d for d in range(2, n - 1))])',
        },
      },
    ])
    .respondWithTools([{ name: 'execute', args: { command: 'python3 primes.py' } }])
    .respondWithTools([{ name: 'edit_file', args: { file_path: program, old_string: '20', new_string: '30' } }])
    .respondWithTools([
      { name: 'execute', args: { command: 'python3 primes.py; exit 3' } },
      { name: 'grep', args: { pattern: 'range(2, 30)', path: sandbox.workspace, output_mode: 'content' } },
      { name: 'ls', args: { path: sandbox.workspace } },
    ])
    .respond(new AIMessage('The primes are there.'));
  const agent = createDeepAgent({ model, backend: sandbox, systemPrompt: `Your files are in ${sandbox.workspace}.` });

  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'List the primes below 30.' }] });

  const answers = messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
  expect(answers).toHaveLength(6);
  expect(answers[1]).toContain('[2, 3, 5, 7, 11, 13, 17, 19]');
  expect(answers[3]).toContain('29]');
  expect(answers[3]).toMatch(/exit code:? 3/i);
  expect(answers[4]).toContain('primes.py');
  expect(answers[5]).toContain('primes.py');
  expect(messages.at(-1)?.text).toBe('The primes are there.');
  expect(await session.files.readText('primes.py')).toContain('range(2, 30)');
});

test('a command answers both streams in order, and its exit code', async () => {
  expect(await sandbox.execute('echo one; echo two >&2; echo three; exit 7')).toEqual({
    output: 'one\ntwo\nthree\n',
    exitCode: 7,
    truncated: false,
  });
  expect(await sandbox.execute('kill -SEGV $$')).toMatchObject({ exitCode: 139 });
});

test('a command starts in the workspace, and its environment is that of the options', async () => {
  const other = await createSandbox(session, { env: { TOPIC: 'rivers' } });
  expect(await other.execute('cd /tmp; X=1')).toMatchObject({ exitCode: 0 });
  expect(await other.execute('pwd; echo "$TOPIC$X"')).toMatchObject({ output: `${sandbox.workspace}\nrivers\n` });
});

test('a command that takes too long is killed with its children', async () => {
  const hasty = await createSandbox(session, { timeoutSeconds: 0.5 });
  const { output, exitCode } = await hasty.execute('echo begun; sleep 471 & wait');
  expect([output, exitCode]).toEqual(['begun\n\n[killed after 0.5 s]', 124]);
  expect(await sandbox.execute('pgrep -f "sleep [4]71"')).toMatchObject({ exitCode: 1 });
});

test('an abort kills the command and ends the call with its reason', async () => {
  const stop = new AbortController();
  const stoppable = await createSandbox(session, { signal: stop.signal });
  const running = stoppable.execute('touch begun; sleep 472');
  await eventually(async () => expect(await session.files.stat('begun')).not.toBeNull());
  const reason = new Error('the person has left');
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
  await expect(stoppable.execute('true')).rejects.toBe(reason);
  await eventually(async () => expect((await sandbox.execute('pgrep -f "sleep [4]72"')).exitCode).toBe(1));
});

test('output over the limit is cut, and said to be', async () => {
  const { output, truncated, exitCode } = await sandbox.execute('head -c 5000000 /dev/zero | tr "\\0" x');
  expect([output.length, truncated, exitCode]).toEqual([1024 * 1024, true, 0]);
});

test('a character that arrives in two pieces stays whole', async () => {
  const { output } = await sandbox.execute('printf "\\303"; sleep 0.2; printf "\\251"');
  expect(output).toBe('é');
});

test('binary files come back byte for byte', async () => {
  const content = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256);
  const path = `${sandbox.workspace}/deep/er/data.bin`;
  expect(await sandbox.uploadFiles([[path, content]])).toEqual([{ path, error: null }]);
  expect(await sandbox.downloadFiles([path])).toEqual([{ path, content, error: null }]);
});

test('a long result is a file, which the model reads and searches', async () => {
  const long = Array.from({ length: 30_000 }, (_, i) => `row ${i}`).join('\n');
  const path = '/large_tool_results/call-1.txt';
  expect(await sandbox.write(path, long)).toMatchObject({ path });
  expect((await sandbox.read(path, 20_000, 1)).content).toContain('row 20000');
  expect(await sandbox.edit(path, 'row 7\n', 'row seven\n')).toMatchObject({ occurrences: 1 });
  expect((await sandbox.grep('row seven', '/large_tool_results')).matches).toMatchObject([{ line: 8 }]);
  expect((await sandbox.ls('/large_tool_results')).files).toHaveLength(1);
  expect((await sandbox.glob('*.txt', '/large_tool_results')).files).toMatchObject([{ path: 'call-1.txt' }]);
  expect(await sandbox.write('/conversation_history/one.md', 'old')).not.toHaveProperty('error');
  for (const folder of ['/large_tool_results', '/conversation_history'])
    expect(await sandbox.delete(folder)).not.toHaveProperty('error');
  expect(await sandbox.read(path)).toHaveProperty('error');
});

test('each file has its own outcome', async () => {
  await session.files.makeDirectory('folder');
  const at = (name: string) => `${sandbox.workspace}/${name}`;
  expect(await sandbox.downloadFiles([at('missing.txt'), at('folder'), '/etc/passwd'])).toEqual([
    { path: at('missing.txt'), content: null, error: 'file_not_found' },
    { path: at('folder'), content: null, error: 'is_directory' },
    { path: '/etc/passwd', content: null, error: 'permission_denied' },
  ]);
  await session.files.write('four.txt', 'four');
  const careful = await createSandbox(session, { fileBytesMax: 3 });
  expect(await careful.downloadFiles([at('four.txt')])).toMatchObject([{ content: null, error: 'permission_denied' }]);
  const uploads: [string, Uint8Array][] = [
    [at('folder'), bytes('x')],
    ['/etc/passwd', bytes('x')],
    ['/tmp/../tmp/holdfast-adapter.txt', bytes('fine')],
  ];
  expect(await sandbox.uploadFiles(uploads)).toMatchObject([
    { error: 'is_directory' },
    { error: 'permission_denied' },
    { error: null },
  ]);
  expect(await sandbox.execute('cat /tmp/holdfast-adapter.txt; rm /tmp/holdfast-adapter.txt')).toMatchObject({
    output: 'fine',
  });
});

test('commands run at the same time', async () => {
  await sandbox.execute('mkfifo pipe');
  const [reader, writer] = await Promise.all([sandbox.execute('cat pipe'), sandbox.execute('echo over > pipe')]);
  expect([reader.output, writer.exitCode]).toEqual(['over\n', 0]);
  const outputs = await Promise.all(Array.from({ length: 8 }, (_, i) => sandbox.execute(`echo ${i}`)));
  expect(outputs.map(({ output }) => output.trim())).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
});

test('a session that has ended is an error, and no answer to the model', async () => {
  const [other] = await session.fork();
  const ended = await createSandbox(other as Session);
  await other?.complete();
  await expect(ended.execute('true')).rejects.toMatchObject({ code: 'session-ended' });
  await expect(ended.downloadFiles(['/tmp/x'])).rejects.toMatchObject({ code: 'session-ended' });
});
