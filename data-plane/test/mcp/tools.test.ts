import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { connectMcp, run, textOf } from './mcp-client.ts';

let installation: Installation;
let holdfast: Holdfast;
beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
});
afterAll(() => installation[Symbol.asyncDispose]());

const connect = (options = {}) => connectMcp(holdfast.url, options);

test('lists its tools with schemas for what they take and give, and says what they change', async () => {
  await using mcp = await connect();
  const { tools } = await mcp.client.listTools();
  const names = ['run_code', 'run_command', 'read_file', 'write_file', 'list_files', 'get_context'];
  const more = ['restart_interpreter', 'create_session', 'list_sessions', 'use_session', 'end_session'];
  expect(tools.map(({ name }) => name)).toEqual([...names, ...more]);
  for (const tool of tools) {
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(tool.outputSchema).toMatchObject({ type: 'object' });
    // Many clients read neither.
    expect(JSON.stringify([tool.inputSchema, tool.outputSchema])).not.toMatch(/\$ref|\(\?!/);
    expect(tool.annotations).toMatchObject({ title: tool.title, readOnlyHint: expect.any(Boolean) });
  }
  expect(mcp.client.getServerVersion()).toMatchObject({ name: 'holdfast' });
  expect(mcp.client.getInstructions()).toContain('stay from call to call');
});

test('keeps variables and the shell from call to call, and gives the value of the last expression', async () => {
  await using mcp = await connect();
  expect(await mcp.call(...run('x = 41\nprint("set")'))).toMatchObject({ status: 'succeeded', stdout: 'set\n' });
  const result = await mcp.tool(...run('x + 1'));
  expect(textOf(result)).toBe('42');
  expect(result.structuredContent).toMatchObject({ result: '42', context: 'python', error: null, exitCode: null });
  await mcp.call('run_command', { command: 'mkdir -p deep && cd deep' });
  expect(await mcp.call('run_command', { command: 'basename $PWD; echo oops >&2; false' })).toMatchObject({
    stdout: 'deep\n',
    stderr: 'oops\n',
    exitCode: 1,
  });
  expect(await mcp.call(...run('[1, 2].map((n) => n * 2)', { language: 'node' }))).toMatchObject({
    result: '[ 2, 4 ]',
  });
});

test('code that fails is a result and not an error of the tool', async () => {
  await using mcp = await connect();
  const result = await mcp.tool(...run('def broken():\n    return 1 / 0\nbroken()'));
  expect(result.isError).toBeUndefined();
  expect(result.structuredContent).toMatchObject({ status: 'failed', error: { name: 'ZeroDivisionError' } });
  expect(textOf(result)).toMatch(/\[error\][\s\S]*broken\(\)[\s\S]*ZeroDivisionError[\s\S]*\[status\] failed/);
  expect(await mcp.call(...run('input("name?")'))).toMatchObject({
    status: 'failed',
    error: { name: 'EOFError' },
    notes: [expect.stringMatching(/^Code cannot ask for input here/)],
  });
  expect(textOf(await mcp.tool('run_command', { command: 'echo out; exit 3' }))).toBe(
    'out\n\n[status] failed, exit code 3',
  );
});

test('arguments that are not valid are told to the model, and unknown tools to the program', async () => {
  await using mcp = await connect();
  const result = await mcp.tool('run_code', { code: 7, cwd: '/' });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/^The request is not valid[\s\S]*\/code[\s\S]*\/cwd: unknown field/);
  await expect(mcp.tool('rm')).rejects.toThrow(/-32602.*there is no tool "rm"/);
  expect(textOf(await mcp.tool('read_file', { path: '../secret' }))).toContain('/path');
  expect(textOf(await mcp.tool('use_session', { session: 'a\0b' }))).toContain('/session: must not contain NUL');
  expect(textOf(await mcp.tool('read_file', { path: 'absent.txt' }))).toMatch(/^Not found/);
});

test('reports output as progress while the code runs', async () => {
  await using mcp = await connect();
  const seen: { progress: number; message?: string | undefined }[] = [];
  const file =
    'import time, os\nprint("first", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.05)\nprint("second")';
  const done = mcp.call(...run(file), { onprogress: (at: (typeof seen)[number]) => seen.push(at) });
  await eventually(async () => expect(seen.map(({ message }) => message).join('')).toContain('first'));
  await mcp.call('write_file', { path: 'go', content: '' });
  expect(await done).toMatchObject({ stdout: 'first\nsecond\n' });
  expect(seen.map(({ progress }) => progress)).toEqual(seen.map(({ progress }) => progress).toSorted((a, b) => a - b));
});

test('shows images, and links files that code has made', async () => {
  await using mcp = await connect();
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const code = `import base64\nopen("pixel.png", "wb").write(base64.b64decode("${png}"))\nopen("data.csv", "w").write("a,b\\n1,2\\n")\nclass Plot:\n    def _repr_mimebundle_(self, **_): return {"image/png": "${png}", "text/plain": "a plot"}\nPlot()`;
  const { content } = await mcp.tool(...run(code));
  expect(content).toContainEqual({ type: 'image', mimeType: 'image/png', data: png });
  const links = content.filter((block) => block.type === 'resource_link');
  expect(links.map(({ name }) => name).toSorted()).toEqual(['data.csv', 'pixel.png']);
  const read = async (name: string) =>
    (await mcp.client.readResource({ uri: links.find((link) => link.name === name)?.uri ?? '' })).contents[0];
  expect(await read('data.csv')).toMatchObject({ text: 'a,b\n1,2\n', mimeType: expect.stringContaining('text/csv') });
  expect(await read('pixel.png')).toMatchObject({ blob: png, mimeType: 'image/png' });
  expect((await mcp.client.listResources()).resources.map(({ name }) => name)).toContain('data.csv');
  expect((await mcp.client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
  expect((await mcp.tool('read_file', { path: 'pixel.png' })).content).toEqual([
    { type: 'image', mimeType: 'image/png', data: png },
  ]);
});

test('long output has its beginning, its end, and a link to all of it', async () => {
  await using mcp = await connect();
  const result = await mcp.tool(...run('for i in range(1_000_000): print(f"line {i:06}")'));
  const { stdout, truncated } = result.structuredContent as { stdout: string; truncated: boolean };
  expect([stdout.length < 20_000, truncated]).toEqual([true, true]);
  expect(stdout).toMatch(/^line 000000\n[\s\S]*\[… \d+ bytes are left out here …\][\s\S]*line 999999\n$/);
  const [link] = result.content.filter((block) => block.type === 'resource_link');
  let uri = link?.uri;
  let text = '';
  for (let reads = 0; uri && reads < 20; reads++) {
    const [part] = (await mcp.client.readResource({ uri })).contents;
    text += (part as { text: string }).text;
    uri = part?._meta?.['holdfast/next'] as string | undefined;
  }
  expect(text.length).toBe(12_000_000);
  expect(text.endsWith('line 999998\nline 999999\n')).toBe(true);
}, 60_000);

test('reads files in parts, and writes text and bytes', async () => {
  await using mcp = await connect();
  expect(await mcp.call('write_file', { path: 'notes/ä.txt', content: 'grüße' })).toMatchObject({
    isNew: true,
    size: 7,
  });
  const first = await mcp.call('read_file', { path: 'notes/ä.txt', length: 3 });
  expect(first).toMatchObject({ text: 'gr', size: 7, nextOffset: 2 });
  expect(await mcp.call('read_file', { path: 'notes/ä.txt', offset: 2 })).toMatchObject({
    text: 'üße',
    nextOffset: null,
  });
  expect(await mcp.call('read_file', { path: 'notes/ä.txt', offset: 99 })).toMatchObject({ text: '', size: 7 });
  await mcp.call('write_file', { path: 'blob.bin', content: '/wA=', encoding: 'base64' });
  const blob = await mcp.tool('read_file', { path: 'blob.bin' });
  expect(blob.content).toMatchObject([{ type: 'resource_link', size: 2 }]);
  await mcp.call('write_file', { path: 'page.png', content: '<html>' });
  expect(textOf(await mcp.tool('read_file', { path: 'page.png' }))).toBe('<html>');
  await mcp.call('write_file', { path: 'empty', content: '' });
  expect(textOf(await mcp.tool('read_file', { path: 'empty' }))).toBe('(empty file)');
  expect(await mcp.call('list_files', { depth: 2 })).toMatchObject({
    items: [
      { path: 'blob.bin', size: 2 },
      { path: 'empty' },
      { path: 'notes', kind: 'directory' },
      { path: 'notes/ä.txt' },
      { path: 'page.png' },
    ],
    truncated: false,
  });
});

test('the name of a file cannot pass for another line of a list', async () => {
  await using mcp = await connect();
  await mcp.call(...run('open("a\\nforged.txt  9", "w").write("x")'));
  const list = await mcp.tool('list_files');
  expect(list.structuredContent).toMatchObject({ items: [{ path: 'a\nforged.txt  9' }] });
  expect(textOf(list)).toBe('"a\\nforged.txt  9"  1');
});

test('the beginning of long code does not end in the middle of a character', async () => {
  await using mcp = await connect();
  const long = '😀'.repeat(10_000);
  await mcp.call(...run(`# ${long}`));
  await mcp.call(...run(`// ${long}`, { language: 'node' }));
  const { contexts } = (await mcp.call('get_context')) as { contexts: { code: string }[] };
  expect(contexts.map(({ code }) => code.length > 15_000 && code.isWellFormed())).toEqual([true, true]);
});

test('shows what is defined, and a restart forgets it', async () => {
  await using mcp = await connect();
  await mcp.call(...run('answer = 42\ndef greet(): pass'));
  const context = await mcp.call('get_context');
  expect(context).toMatchObject({
    contexts: [{ context: 'python', code: expect.stringContaining('answer = 42') }],
    truncated: false,
  });
  expect(context.symbols).toContainEqual({
    context: 'python',
    name: 'answer',
    kind: 'variable',
    type: 'int',
    preview: '42',
  });
  expect(await mcp.call('restart_interpreter')).toMatchObject({ context: 'python', contextEpoch: 2 });
  expect(await mcp.call(...run('answer'))).toMatchObject({ status: 'failed', error: { name: 'NameError' } });
});

test('a cancelled call interrupts its code', async () => {
  await using mcp = await connect();
  const cancel = new AbortController();
  const begun = Promise.withResolvers<void>();
  const call = mcp.tool(...run('import time\nprint("begun", flush=True)\ntime.sleep(600)'), {
    signal: cancel.signal,
    onprogress: () => begun.resolve(),
  });
  await begun.promise;
  cancel.abort();
  await expect(call).rejects.toThrow();
  expect(await mcp.call(...run('"free again"'))).toMatchObject({ result: "'free again'" });
});

test('a cancelled call interrupts its code also if the tools work in another session by then', async () => {
  await using mcp = await connect();
  const cancel = new AbortController();
  const begun = Promise.withResolvers<void>();
  const { sessionId } = await mcp.call(...run('import time'));
  const call = mcp.tool(...run('print("begun", flush=True)\ntime.sleep(600)'), {
    signal: cancel.signal,
    onprogress: () => begun.resolve(),
  });
  await begun.promise;
  await mcp.call('create_session', { name: 'elsewhere' });
  cancel.abort();
  await expect(call).rejects.toThrow();
  await eventually(async () =>
    expect((await holdfast.history(sessionId as string)).at(-1)).toMatchObject({ status: 'interrupted' }),
  );
});

test('a session has a name under which a person can share it, and others switch between their own', async () => {
  const person = await holdfast.createSession({ clientKey: 'our-notebook' });
  await holdfast.runStep(person.id, { code: 'shared = "by Ada"' });
  await using named = await connect({ session: 'our-notebook' });
  expect(await named.call('list_sessions')).toMatchObject({ sessions: [{ sessionId: person.id, isCurrent: true }] });
  expect(await named.call(...run('shared'))).toMatchObject({ result: "'by Ada'", sessionId: person.id });
  const [, step] = await holdfast.history(person.id);
  expect(step).toMatchObject({ actor: 'agent', actorName: 'test-client' });

  await using mcp = await connect();
  const first = await mcp.call(...run('mine = 1'));
  expect(await mcp.call('use_session', { session: 'our-notebook' })).toMatchObject({
    sessionId: person.id,
    isCurrent: true,
  });
  expect(await mcp.call(...run('shared'))).toMatchObject({ result: "'by Ada'" });
  expect(textOf(await mcp.tool('end_session'))).toMatch(/^Access denied.*was not started by this connection/);
  expect(await mcp.call('create_session')).toMatchObject({ isCurrent: true });
  expect(await mcp.call(...run('mine'))).toMatchObject({ error: { name: 'NameError' } });
  await mcp.call('use_session', { session: first.sessionId });
  expect(await mcp.call(...run('mine'))).toMatchObject({ result: '1' });
  const { sessions } = (await mcp.call('list_sessions')) as { sessions: { sessionId: string; isCurrent: boolean }[] };
  expect(sessions.filter(({ isCurrent }) => isCurrent)).toMatchObject([{ sessionId: first.sessionId }]);
  expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(person.id);
  expect(await mcp.call('end_session')).toMatchObject({ sessionId: first.sessionId, status: 'completed' });
});

test('nothing runs on empty memory unnoticed: the call after the end of a session is refused', async () => {
  await using mcp = await connect();
  const { sessionId } = await mcp.call(...run('x = 1'));
  expect(await holdfast.request('POST', `/v1/sessions/${sessionId}/complete`)).toMatchObject({ status: 200 });
  const refused = await mcp.tool(...run('open("ran", "w")'));
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toMatch(/^The session has ended.*Nothing was done\. The next call begins a new session/);
  expect(await mcp.call('list_files')).toMatchObject({ items: [] });
  expect((await mcp.call(...run('1'))).sessionId).not.toBe(sessionId);
});

test('a session that is paused is resumed', async () => {
  await using mcp = await connect();
  const { sessionId } = await mcp.call(...run('x = 7'));
  const pause = async () =>
    expect(await holdfast.request('POST', `/v1/sessions/${sessionId}/pause`, {})).toMatchObject({ status: 200 });
  await pause();
  expect(await mcp.call('list_files')).toMatchObject({ items: [] });
  await pause();
  expect(await mcp.call(...run('x'))).toMatchObject({ result: '7' });
});

test('an image that is not one does not spoil the answer', async () => {
  await using mcp = await connect();
  const code =
    'class Plot:\n    def _repr_mimebundle_(self, **_): return {"image/png": "<no base64>", "text/plain": "a plot"}\nPlot()';
  expect((await mcp.tool(...run(code))).content).toEqual([{ type: 'text', text: 'a plot' }]);
});

test('tells the model what the policy forbids, and did not run it', async () => {
  const policy = { execution: { allowShellCommands: false } };
  await holdfast.createSession({ clientKey: 'safe', policy });
  await using mcp = await connect({ session: 'safe' });
  const refused: CallToolResult = await mcp.tool('run_command', { command: 'touch ran' });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toMatch(/policy forbids this/i);
});

test('sessions that are an MCP session’s own end with it, and named ones live on', async () => {
  const mcp = await connect();
  const own = await mcp.call(...run('1'));
  const named = await mcp.call('create_session', { name: 'kept' });
  await mcp[Symbol.asyncDispose]();
  const statusOf = async (id: unknown) => (await holdfast.request('GET', `/v1/sessions/${id}`)).body.status;
  await eventually(async () => expect(await statusOf(own.sessionId)).toBe('completed'));
  expect(await statusOf(named.sessionId)).toBe('active');
});
