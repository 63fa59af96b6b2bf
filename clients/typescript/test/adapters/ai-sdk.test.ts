import { type Experimental_SandboxSession, generateText, isStepCount, jsonSchema, ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../../../data-plane/test/support/installation.ts';
import { createSandbox, createTools } from '../../src/adapters/ai-sdk/ai-sdk.ts';
import { Holdfast, type Session } from '../../src/index.ts';

let installation: Installation;
let session: Session;
let sandbox: Experimental_SandboxSession;
let workspace: string;

beforeAll(async () => {
  installation = await createInstallation();
  const { url } = await installation.start();
  session = await new Holdfast({ url }).sessions.create();
  sandbox = await createSandbox(session);
  workspace = (await sandbox.run({ command: 'pwd' })).stdout.trim();
});

afterAll(() => installation[Symbol.asyncDispose]());

type Call = { tool: string; input: object };

/** Calls tools, one list of them after the other, and then says a text. */
function scriptedModel(calls: Call[][], text: string): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const answer = <Content>(content: Content[], unified: 'tool-calls' | 'stop') => ({
    content,
    finishReason: { unified, raw: undefined },
    usage,
    warnings: [],
  });
  return new MockLanguageModelV4({
    doGenerate: [
      ...calls.map((step, i) =>
        answer(
          step.map(({ tool: toolName, input }, j) => ({
            type: 'tool-call' as const,
            toolCallId: `call-${i}-${j}`,
            toolName,
            input: JSON.stringify(input),
          })),
          'tool-calls',
        ),
      ),
      answer([{ type: 'text' as const, text }], 'stop'),
    ],
  });
}

test('a tool of the application works in the sandbox that generateText is given', async () => {
  const shell = tool({
    inputSchema: jsonSchema<{ command: string; workingDirectory?: string }>({ type: 'object' }),
    async execute({ command, workingDirectory }, { abortSignal, experimental_sandbox }) {
      return await experimental_sandbox?.run({ command, workingDirectory, abortSignal });
    },
  });
  const model = scriptedModel(
    [
      [{ tool: 'shell', input: { command: 'mkdir -p app && echo "test -f app.js" > app/check.sh' } }],
      [{ tool: 'shell', input: { command: 'sh check.sh', workingDirectory: 'app' } }],
    ],
    'The test fails.',
  );
  const result = await generateText({
    model,
    tools: { shell },
    stopWhen: isStepCount(5),
    experimental_sandbox: sandbox,
    prompt: 'Run the test suite.',
  });
  expect(result.text).toBe('The test fails.');
  expect(result.steps[1]?.toolResults[0]?.output).toEqual({ exitCode: 1, stdout: '', stderr: '' });
});

test('an agent works in an interpreter that keeps its state, and sees its figure', async () => {
  const figure = 'class Figure:\n  def _repr_png_(self): return b"\\x89PNG"\nFigure()';
  const model = scriptedModel(
    [
      [{ tool: 'run_code', input: { code: 'rows = [3, 4, 8]\nprint("loaded")' } }],
      [
        { tool: 'run_code', input: { code: 'sum(rows) / len(rows)' } },
        { tool: 'run_code', input: { code: 'rows.mean()' } },
        { tool: 'run_command', input: { command: 'echo beside; exit 2' } },
      ],
      [
        { tool: 'run_code', input: { code: figure } },
        { tool: 'run_code', input: { code: 'echo "$0"', language: 'bash' } },
      ],
    ],
    'The mean is 5.',
  );
  const agent = new ToolLoopAgent({ model, tools: createTools(session), stopWhen: isStepCount(5) });

  const { text, steps } = await agent.generate({ prompt: 'What is the mean?' });

  expect(text).toBe('The mean is 5.');
  const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  expect(outputs).toMatchObject([
    { status: 'succeeded', text: 'loaded' },
    { status: 'succeeded', text: '5.0' },
    { status: 'failed', text: expect.stringContaining("AttributeError: 'list' object has no attribute 'mean'") },
    { exitCode: 2, stdout: 'beside\n', isTimedOut: false },
    { images: [{ mediaType: 'image/png', base64: 'iVBORw==' }] },
    { text: expect.stringContaining('bash') },
  ]);
  const seen = JSON.stringify(model.doGenerateCalls.at(-1)?.prompt);
  expect(seen).toContain('image/png');
  expect(seen).toContain('iVBORw==');
  expect(seen).toContain('"value":"beside\\n[exit code 2]"');
});

test('a model gets the output of a command once and shortened, and is told about code that was stopped', async () => {
  const model = scriptedModel(
    [
      [
        { tool: 'run_command', input: { command: 'seq 100000' } },
        { tool: 'run_code', input: { code: 'import time; time.sleep(60)', language: 'python' } },
      ],
    ],
    'Done.',
  );
  await generateText({
    model,
    tools: createTools(session, { timeoutSeconds: 1, charactersMax: 1000 }),
    prompt: 'Count.',
    stopWhen: isStepCount(2),
  });
  const seen = JSON.stringify(model.doGenerateCalls.at(-1)?.prompt);
  expect(seen).toContain('characters left out');
  expect(seen).toContain('its time was over');
  expect(seen.length).toBeLessThan(5000);
});

test('an abort of the agent interrupts its code, and the session goes on', async () => {
  const stop = new AbortController();
  const model = scriptedModel(
    [[{ tool: 'run_code', input: { code: 'open("begun", "w"); seen = 1\nwhile True: pass' } }]],
    '',
  );
  const running = generateText({ model, tools: createTools(session), prompt: 'Wait.', abortSignal: stop.signal });
  await eventually(async () => expect(await sandbox.stat({ path: 'begun' })).not.toBeNull());
  stop.abort();
  expect((await running).content).toMatchObject([
    { type: 'tool-call' },
    { type: 'tool-error', error: { name: 'AbortError' } },
  ]);
  expect((await session.run('seen')).text).toBe('1');
});

test('a command answers each stream, its exit code, and the signal that ended it', async () => {
  const command = 'echo out; echo err >&2; pwd; echo "$TOPIC"; exit 7';
  expect(await sandbox.run({ command, workingDirectory: '/tmp', env: { TOPIC: 'rivers' } })).toEqual({
    exitCode: 7,
    stdout: 'out\n/tmp\nrivers\n',
    stderr: 'err\n',
  });
  expect(await sandbox.run({ command: 'kill -TERM $$' })).toMatchObject({ exitCode: 143 });
});

test('changing the directory in a command does not move the next one', async () => {
  await sandbox.run({ command: 'cd /tmp' });
  expect((await sandbox.run({ command: 'pwd' })).stdout.trim()).toBe(workspace);
  expect(sandbox.description).toContain(workspace);
});

test('an abort kills the command and rejects with its reason', async () => {
  const stop = new AbortController();
  const running = sandbox.run({ command: 'touch started; sleep 473', abortSignal: stop.signal });
  await eventually(async () => expect(await sandbox.stat({ path: 'started' })).not.toBeNull());
  const reason = new Error('no longer needed');
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
  await eventually(async () => expect((await sandbox.run({ command: 'pgrep -f "sleep [4]73"' })).exitCode).toBe(1));
  await expect(sandbox.run({ command: 'true', abortSignal: stop.signal })).rejects.toBe(reason);
});

test('output over the limit is cut, and says so', async () => {
  const { stdout, stderr } = await sandbox.run({ command: 'head -c 3000000 /dev/zero | tr "\\0" x' });
  expect(stdout).toHaveLength(1024 * 1024);
  expect(stderr).toContain('the rest is left out');
});

test('a spawned process streams, takes input, and tells its exit code', async () => {
  const process = await sandbox.spawn({ command: 'cat; echo gone >&2; exit 4', stdin: true });
  const writer = process.stdin.getWriter();
  await writer.write(Uint8Array.of(0x61, 0xff, 0x00));
  await writer.close();
  const [out, err] = await Promise.all([bytesOf(process.stdout), new Response(process.stderr).text()]);
  expect([[...out], err]).toEqual([[0x61, 0xff, 0x00], 'gone\n']);
  expect(await process.wait()).toEqual({ exitCode: 4 });
  await process.kill();
});

test('a large output arrives whole while only one stream is read', async () => {
  const process = await sandbox.spawn({ command: 'head -c 3000000 /dev/zero; echo end >&2' });
  expect(process).not.toHaveProperty('stdin');
  expect(await bytesOf(process.stdout)).toHaveLength(3_000_000);
  expect(await process.wait()).toEqual({ exitCode: 0 });
  expect(await new Response(process.stderr).text()).toBe('end\n');
});

test('a kill ends a spawned process, and a second one does nothing', async () => {
  const process = await sandbox.spawn({ command: 'sleep 474' });
  await process.kill();
  await process.kill();
  expect(await process.wait()).toEqual({ exitCode: 137 });
});

test('an abort ends the wait for a spawned process and its streams', async () => {
  const stop = new AbortController();
  const process = await sandbox.spawn({ command: 'sleep 475', abortSignal: stop.signal });
  const waiting = Promise.resolve(process.wait());
  const reading = new Response(process.stdout).text();
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(reading).rejects.toThrow('enough');
});

test('files come back byte for byte, as bytes and as streams', async () => {
  const content = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 13) % 256);
  await sandbox.writeBinaryFile({ path: `${workspace}/a/b/data.bin`, content });
  expect(await sandbox.readBinaryFile({ path: 'a/b/../b/data.bin' })).toEqual(content);
  const stream = await sandbox.readFile({ path: 'a/b/data.bin' });
  await sandbox.writeFile({ path: 'copy.bin', content: stream as ReadableStream<Uint8Array> });
  expect(await sandbox.readBinaryFile({ path: './copy.bin' })).toEqual(content);
  await expect(sandbox.writeTextFile({ path: 'a/b', content: 'x' })).rejects.toMatchObject({ code: 'path-conflict' });
});

test('a file over the limit is not read as a whole', async () => {
  const careful = await createSandbox(session, { fileBytesMax: 3 });
  await careful.writeTextFile({ path: 'four.txt', content: 'four' });
  await expect(careful.readBinaryFile({ path: 'four.txt' })).rejects.toThrow('larger than 3 bytes');
  await expect(careful.readTextFile({ path: 'four.txt' })).rejects.toThrow('larger than 3 bytes');
});

test('a text is read by lines, and in its encoding', async () => {
  await sandbox.writeTextFile({ path: 'lines.txt', content: 'one\r\ntwo\r\nthree\r\n' });
  expect(await sandbox.readTextFile({ path: 'lines.txt', startLine: 2, endLine: 2 })).toBe('two');
  expect(await sandbox.readTextFile({ path: 'lines.txt', startLine: 3, endLine: 99 })).toBe('three\r\n');
  await sandbox.writeBinaryFile({ path: 'latin.txt', content: Uint8Array.of(0xe9) });
  expect(await sandbox.readTextFile({ path: 'latin.txt', encoding: 'latin1' })).toBe('é');
  await expect(sandbox.writeTextFile({ path: 'x', content: 'é', encoding: 'latin1' })).rejects.toThrow(RangeError);
});

test('a missing file is null, and a path that does not fit is an error', async () => {
  const path = 'missing/file.txt';
  expect(await sandbox.readFile({ path })).toBeNull();
  expect(await sandbox.readBinaryFile({ path })).toBeNull();
  expect(await sandbox.readTextFile({ path })).toBeNull();
  expect(await sandbox.stat({ path })).toBeNull();
  expect(await sandbox.listDirectory({ path })).toBeNull();
  expect(await sandbox.deleteFile({ path })).toBe(false);
  await sandbox.run({ command: 'mkdir -p box' });
  await expect(sandbox.readTextFile({ path: 'box' })).rejects.toMatchObject({ code: 'path-conflict' });
  await expect(sandbox.deleteFile({ path: 'box' })).rejects.toMatchObject({ code: 'path-conflict' });
  await expect(sandbox.listDirectory({ path: 'box/../lines.txt' })).rejects.toMatchObject({ code: 'path-conflict' });
  await expect(sandbox.readTextFile({ path: '/etc/shadow' })).rejects.toMatchObject({ code: 'outside-workspace' });
});

test('links are followed by stat, listed as links, and deleted themselves', async () => {
  const command =
    'mkdir -p tree/sub && cd tree && echo 123 > file && ln -s file link && ln -s sub dir && ln -s loop loop';
  await sandbox.run({ command });
  expect(await sandbox.stat({ path: 'tree/link' })).toEqual({ type: 'file', size: 4 });
  expect(await sandbox.stat({ path: 'tree/dir' })).toMatchObject({ type: 'directory' });
  await expect(sandbox.stat({ path: 'tree/loop' })).rejects.toThrow('too many links');
  const entries = (await sandbox.listDirectory({ path: 'tree' })) ?? [];
  expect(entries.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
    'dir symlink',
    'file file',
    'link symlink',
    'loop symlink',
    'sub directory',
  ]);
  expect(await sandbox.listDirectory({ path: 'tree/dir' })).toEqual([]);
  expect(await sandbox.deleteFile({ path: 'tree/link' })).toBe(true);
  expect(await sandbox.stat({ path: 'tree/file' })).toMatchObject({ type: 'file' });
});

test('commands run at the same time', async () => {
  await sandbox.run({ command: 'mkfifo pipe' });
  const commands = ['cat pipe', 'echo over > pipe', ...Array.from({ length: 6 }, (_, i) => `echo ${i}`)];
  const outcomes = await Promise.all(commands.map((command) => sandbox.run({ command })));
  expect(outcomes.map(({ stdout }) => stdout.trim())).toEqual(['over', '', '0', '1', '2', '3', '4', '5']);
});

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
}
