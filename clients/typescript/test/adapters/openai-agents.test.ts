import { Agent, type AgentInputItem, type RunResult, run, setTracingDisabled, shellTool } from '@openai/agents';
import { Manifest, SandboxAgent } from '@openai/agents/sandbox';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../../../data-plane/test/support/installation.ts';
import {
  createCodeInterpreter,
  createSandbox,
  createShell,
  type HoldfastSandbox,
} from '../../src/adapters/openai-agents/openai-agents.ts';
import { Holdfast, type Session } from '../../src/index.ts';

setTracingDisabled(true);

let installation: Installation;
let session: Session;
let sandbox: HoldfastSandbox;
let root: string;

beforeAll(async () => {
  installation = await createInstallation();
  const { url } = await installation.start();
  session = await new Holdfast({ url }).sessions.create();
  sandbox = await createSandbox(session);
  root = sandbox.state.manifest.root;
});

afterAll(() => installation[Symbol.asyncDispose]());

let calls = 0;
const call = (name: string, input: Record<string, unknown>) => functionCall(name, input, { callId: `call-${calls++}` });
const done = (text: string) => [assistantMessage(text)];

/** The answers of the tools, as the model sees them. */
// biome-ignore lint/suspicious/noExplicitAny: the result of any agent.
const answersOf = (result: RunResult<any, any>) =>
  result.history
    .filter((item: AgentInputItem) => item.type?.endsWith('_result') || item.type?.endsWith('_output'))
    .map((item: AgentInputItem) => JSON.stringify('output' in item ? item.output : null));

test('a sandbox agent reads its task, patches the program, and runs it', async () => {
  const patch = (diff: string) => ({
    type: 'apply_patch_call' as const,
    callId: `call-${calls++}`,
    status: 'completed' as const,
    operation: { type: 'update_file' as const, path: 'repo/mean.py', diff },
  });
  const model = new ScriptedModel([
    [call('exec_command', { cmd: 'cat repo/task.md && python3 repo/mean.py' })],
    [patch('-print(sum([3, 4, 8]) / 10)\n+print(sum([3, 4, 8]) / 3)\n')],
    [call('exec_command', { cmd: 'python3 mean.py; exit 3', workdir: `${root}/repo` })],
    [patch('-nothing like this\n+x\n')],
    done('The mean is 5.'),
  ]);
  const agent = new SandboxAgent({
    name: 'Engineer',
    model,
    instructions: 'Read repo/task.md first.',
    defaultManifest: new Manifest({
      root,
      entries: {
        repo: {
          type: 'dir',
          children: {
            'task.md': { type: 'file', content: 'Mend the mean.\n' },
            'mean.py': { type: 'file', content: new TextEncoder().encode('print(sum([3, 4, 8]) / 10)\n') },
          },
        },
      },
    }),
  });

  const result = await run(agent, 'Do the task.', { sandbox: { session: sandbox } });

  expect(result.finalOutput).toBe('The mean is 5.');
  const [read, , ran, refused] = answersOf(result);
  expect(read).toContain('Mend the mean.\\n1.5');
  expect(ran).toContain('Process exited with code 3\\nOutput:\\n5.0');
  expect(refused).toMatch(/failed|invalid|not found/i);
  expect(await session.files.readText('repo/mean.py')).toBe('print(sum([3, 4, 8]) / 3)\n');
  expect((await session.refresh()).status).toBe('active');
});

test('a command that goes on has a number, which takes input and tells what came since', async () => {
  const first = await sandbox.exec({
    cmd: 'read -p "name? " name; echo "hello $name"; exit 5',
    tty: true,
    yieldTimeMs: 600,
  });
  expect(first).toMatchObject({ output: expect.stringContaining('name? '), sessionId: expect.any(Number) });
  const answer = await sandbox.writeStdin({
    sessionId: first.sessionId as number,
    chars: 'Ada\n',
    yieldTimeMs: 20_000,
  });
  expect(answer).toMatch(/exited with code 5/);
  expect(answer).toContain('hello Ada');
  expect(answer).not.toContain('name? ');
  await expect(sandbox.writeStdin({ sessionId: first.sessionId as number })).rejects.toThrow('no command');
});

test('Ctrl-C interrupts a command without a terminal', async () => {
  const { sessionId } = await sandbox.exec({ cmd: 'exec sleep 476', yieldTimeMs: 300 });
  const answer = await sandbox.writeStdin({ sessionId: sessionId as number, chars: '\x03', yieldTimeMs: 20_000 });
  expect(answer).toContain('exited with code 130');
});

test('input that a command does not read makes no call wait, and arrives if it reads later', async () => {
  const cmd = 'until [ -e read-now ]; do sleep 0.1; done; wc -c';
  const { sessionId } = await sandbox.exec({ cmd, yieldTimeMs: 250 });
  const number = sessionId as number;
  // More than a pipe holds.
  const first = await sandbox.writeStdin({ sessionId: number, chars: 'x'.repeat(300_000), yieldTimeMs: 250 });
  expect(first).toMatch(/running with session ID[\s\S]*has not taken all of its input/);
  await session.files.write('read-now', '');
  await eventually(async () => expect(await sandbox.writeStdin({ sessionId: number })).not.toContain('not taken'));
  // The program reads until the end of its input, which a model cannot send.
  expect(await sandbox.writeStdin({ sessionId: number, chars: '\x03', yieldTimeMs: 20_000 })).toContain('code 130');
});

test('input that a command cannot take is told, and its output is not lost', async () => {
  const { sessionId } = await sandbox.exec({ cmd: 'exec 0<&-; echo closed; exec sleep 475', yieldTimeMs: 250 });
  await eventually(async () =>
    expect(await sandbox.writeStdin({ sessionId: sessionId as number, chars: 'x' })).toContain('input did not arrive'),
  );
  await sandbox.stop();
});

test('calls for one command at the same time tell each part of its output once', async () => {
  const { sessionId } = await sandbox.exec({ cmd: 'while read line; do echo "got $line"; done', yieldTimeMs: 250 });
  const write = (chars: string) => sandbox.writeStdin({ sessionId: sessionId as number, chars, yieldTimeMs: 600 });
  const answers = await Promise.all([write('one\n'), write('two\n'), write('three\n')]);
  let told = answers.join('');
  await eventually(async () => {
    told += await write('');
    expect(told).toContain('got three');
  });
  expect(told.match(/got \w+/g)).toEqual(['got one', 'got two', 'got three']);
  await sandbox.stop();
});

test('a command answers each stream and its exit code, from its directory and shell', async () => {
  const outcome = await sandbox.exec({ cmd: 'echo out; echo err >&2; pwd; exit 7', workdir: '/tmp', shell: '/bin/sh' });
  expect(outcome).toMatchObject({ stdout: 'out\n/tmp\n', stderr: 'err\n', exitCode: 7 });
  expect(await sandbox.execCommand({ cmd: 'echo one' })).toMatch(
    /^Wall time: .*\nProcess exited with code 0\nOutput:\none\n$/,
  );
  await expect(sandbox.exec({ cmd: 'true', runAs: 'root' })).rejects.toThrow('one user');
});

test('large output is cut to what the model asks for, and to the limit', async () => {
  const { output, stdout } = await sandbox.exec({ cmd: 'seq 100000', maxOutputTokens: 100 });
  expect(output.length).toBeLessThan(500);
  expect(output).toMatch(/^1\n2\n[\s\S]*characters left out[\s\S]*100000\n$/);
  expect(stdout.length).toBeGreaterThan(500_000);
  const much = await sandbox.exec({ cmd: 'head -c 3000000 /dev/zero | tr "\\0" x', yieldTimeMs: 30_000 });
  expect(much.stdout).toHaveLength(1024 * 1024);
  expect(much.output).toContain('more output is left out');
  const { output: flood } = await createShell(session, { outputBytesMax: 1000 }).run({
    commands: ['head -c 3000000 /dev/zero | tr "\\0" x'],
    maxOutputLength: 1e12,
  });
  expect(flood[0]?.stdout).toHaveLength(1000);
});

test('a model may ask for a wait of any length', async () => {
  expect(await sandbox.exec({ cmd: 'echo one', yieldTimeMs: 1e15 })).toMatchObject({ output: 'one\n', exitCode: 0 });
});

test('a timeout kills the command, an abort ends the call, and stop kills what still runs', async () => {
  const hasty = await createSandbox(session, { timeoutSeconds: 0.5 });
  expect(await hasty.exec({ cmd: 'sleep 477', yieldTimeMs: 20_000 })).toMatchObject({ exitCode: 124 });
  const stop = new AbortController();
  const stoppable = await createSandbox(session, { signal: stop.signal });
  const running = stoppable.exec({ cmd: 'touch begun; sleep 478', yieldTimeMs: 20_000 });
  await eventually(async () => expect(await sandbox.pathExists('begun')).toBe(true));
  stop.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  await sandbox.exec({ cmd: 'sleep 479', yieldTimeMs: 250 });
  await sandbox.stop();
  await eventually(async () =>
    expect(await sandbox.exec({ cmd: 'pgrep -f "sleep [4]7[789]"' })).toMatchObject({ exitCode: 1 }),
  );
});

test('files come back byte for byte, and missing ones are an error', async () => {
  const content = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 11) % 256);
  await sandbox.materializeEntry({ path: 'box/data.bin', entry: { type: 'file', content } });
  expect(await sandbox.readFile({ path: `${root}/box/data.bin` })).toEqual(content);
  expect(await sandbox.readFile({ path: 'box/data.bin', maxBytes: 3 })).toEqual(content.subarray(0, 3));
  expect(await sandbox.listDir({ path: 'box' })).toEqual([
    { name: 'data.bin', path: `${root}/box/data.bin`, type: 'file' },
  ]);
  expect(await Promise.all(['box', 'box/data.bin', 'none'].map((path) => sandbox.directoryExists(path)))).toEqual([
    true,
    false,
    false,
  ]);
  const careful = await createSandbox(session, { fileBytesMax: 3 });
  await expect(careful.readFile({ path: 'box/data.bin' })).rejects.toThrow('larger than 3 bytes');
  await expect(sandbox.readFile({ path: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(sandbox.readFile({ path: '/etc/shadow' })).rejects.toMatchObject({ code: 'outside-workspace' });
  const repository = { type: 'git_repo' as const, repo: 'a/b' };
  await expect(sandbox.materializeEntry({ path: 'r', entry: repository })).rejects.toThrow('no git_repo');
});

test('an image is what its bytes say, and a text is none', async () => {
  await session.files.write('figure.txt', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a));
  expect(await sandbox.viewImage({ path: 'figure.txt' })).toMatchObject({
    type: 'image',
    image: { mediaType: 'image/png' },
  });
  await session.files.write('fake.png', 'text');
  await expect(sandbox.viewImage({ path: 'fake.png' })).rejects.toThrow('unsupported image format');
  await expect(sandbox.viewImage({ path: 'none.png' })).rejects.toThrow('not found');
  await sandbox.exec({ cmd: 'truncate -s 11000000 large.png && ln -s large.png link.png' });
  await expect(sandbox.viewImage({ path: 'link.png' })).rejects.toThrow('10 MB');
});

test('patches create, move and delete files, and one that does not fit changes nothing', async () => {
  const editor = sandbox.createEditor();
  const create = { type: 'create_file' as const, path: 'notes/a.md', diff: '+first\n+second\n' };
  expect(await editor.createFile(create)).toMatchObject({ status: 'completed' });
  const update = {
    type: 'update_file' as const,
    path: 'notes/a.md',
    diff: ' first\n-second\n+third\n',
    moveTo: 'notes/b.md',
  };
  expect(await editor.updateFile(update)).toMatchObject({ status: 'completed' });
  expect(await session.files.readText('notes/b.md')).toContain('third');
  expect(await editor.updateFile(update)).toMatchObject({
    status: 'failed',
    output: expect.stringContaining('Not found'),
  });
  await session.files.write('notes/c.md', 'first\nsecond\n');
  expect(await editor.updateFile({ ...update, path: 'notes/c.md' })).toMatchObject({ status: 'failed' });
  expect(await session.files.readText('notes/c.md')).toBe('first\nsecond\n');
  const misfit = { ...update, path: 'notes/c.md', diff: ' other\n-second\n', moveTo: 'notes/d.md' };
  expect(await editor.updateFile(misfit)).toMatchObject({ status: 'failed' });
  expect(await editor.updateFile({ ...update, path: 'notes/c.md', moveTo: './notes/c.md' })).toMatchObject({
    status: 'completed',
  });
  expect(await session.files.readText('notes/c.md')).toContain('third');
  await session.files.delete('notes/c.md');
  expect(await editor.deleteFile({ type: 'delete_file', path: 'notes/b.md' })).toMatchObject({ status: 'completed' });
  expect((await session.files.list('notes')).map(({ path }) => path)).toEqual([]);
});

test('a port that a command serves has an address', async () => {
  const program =
    "import http.server as h; h.HTTPServer(('127.0.0.1', 18474), h.SimpleHTTPRequestHandler).serve_forever()";
  await sandbox.exec({ cmd: `exec python3 -c "${program}"`, yieldTimeMs: 250 });
  const endpoint = await sandbox.resolveExposedPort(18474);
  expect(endpoint).toMatchObject({
    tls: false,
    host: expect.stringContaining('18474'),
    query: expect.stringContaining('='),
  });
  await sandbox.stop();
});

test('an agent uses the shell and the code interpreter of a session', async () => {
  const figure = 'class Figure:\n  def _repr_png_(self): return b"\\x89PNG"\nFigure()';
  const model = new ScriptedModel([
    [call('run_code', { code: 'rows = [3, 4, 8]' })],
    [call('run_code', { code: 'print(len(rows)); sum(rows)' }), call('run_code', { code: 'rows.mean()' })],
    [call('run_code', { code: figure })],
    [
      {
        type: 'shell_call',
        callId: 'shell-1',
        status: 'completed',
        action: { commands: ['echo beside; exit 2', 'sleep 480'], timeoutMs: 500 },
      },
    ],
    done('Fifteen.'),
  ]);
  const tools = [createCodeInterpreter(session), shellTool({ shell: createShell(session) })];

  const result = await run(new Agent({ name: 'Analyst', model, tools }), 'What is the sum?');

  expect(result.finalOutput).toBe('Fifteen.');
  const [first, sum, mean, seen, shell] = answersOf(result);
  expect(first).toContain('without output');
  expect(sum).toContain('3\\n15');
  expect(mean).toContain("AttributeError: 'list' object has no attribute 'mean'");
  expect(seen).toContain('iVBORw==');
  expect(shell).toContain('"stdout":"beside\\n"');
  expect(shell).toContain('"exitCode":2');
  expect(shell).toContain('"type":"timeout"');
});

test('commands run at the same time', async () => {
  await sandbox.exec({ cmd: 'mkfifo pipe' });
  const commands = ['cat pipe', 'echo over > pipe', ...Array.from({ length: 6 }, (_, i) => `echo ${i}`)];
  const outcomes = await Promise.all(commands.map((cmd) => sandbox.exec({ cmd, yieldTimeMs: 20_000 })));
  expect(outcomes.map(({ stdout }) => stdout.trim())).toEqual(['over', '', '0', '1', '2', '3', '4', '5']);
});
