import { readdirSync } from 'node:fs';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { installScriptedKernel } from '../support/scripted-kernelspec.ts';
import { until } from '../support/until.ts';

/** Opens a kernel that runs these tests' own Jupyter kernel; its steps are JavaScript. */
async function openScripted(spec: Parameters<typeof installScriptedKernel>[0] = {}) {
  const { jupyterPath, ...installed } = installScriptedKernel(spec);
  const stack = new AsyncDisposableStack();
  stack.use(installed);
  const open = stack.use(await openKernel('scripted', { config: { jupyterPath } }));
  return { ...open, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const succeeded = { status: 'succeeded', streamIncomplete: false };

test('output, results, errors and questions come in the order in which the kernel sent them', async () => {
  await using open = await openScripted();
  const code = `
for (let i = 0; i < 20; i++) {
  await publish('stream', { name: 'stdout', text: 'a' + i });
  await publish('stream', { name: 'stderr', text: 'b' + i });
  await publish('display_data', { data: { 'text/plain': 'c' + i }, metadata: {} });
}
await publish('stream', { name: 'stdout', text: 'last' });
kept.answer = await ask('more? ');
await publish('execute_result', { data: { 'text/plain': kept.answer }, metadata: {} });`;
  const seen: string[] = [];
  const { end, shown } = await open.run(code, (text) => void seen.push(text), {
    stdin: ({ prompt }) => {
      seen.push(prompt);
      return 'yes';
    },
  });
  expect([end, shown]).toEqual([succeeded, 'yes']);
  expect(seen.slice(-2)).toEqual(['last', 'more? ']);
  expect(seen.slice(0, -2)).toEqual(Array.from({ length: 20 }, (_, i) => [`a${i}`, `b${i}`]).flat());
});

test('drops a message that is not signed with the key', async () => {
  await using open = await openScripted();
  const code = `
await publish('stream', { name: 'stdout', text: 'forged' }, header, 'another key');
await publish('stream', { name: 'stdout', text: 'true' });`;
  expect(await open.run(code)).toMatchObject({ end: succeeded, stdout: 'true' });
});

test('drops messages that are not valid, and the step goes on', async () => {
  await using open = await openScripted();
  const code = `
await publish('stream', { name: 'elsewhere', text: 5 });
await publish('display_data', 'no JSON');
await publish('display_data', {});
await publish('comm_open', null);
await publish('status', 7);
await publish('stream', { name: 'stdout', text: 'on' });`;
  expect(await open.run(code)).toMatchObject({ end: succeeded, stdout: 'on', results: [] });
});

test('leaves out entries of a result that are too large or nested too deep', async () => {
  await using open = await openScripted();
  const code = `
const data = { 'text/plain': 'shown', 'text/html': 'x'.repeat(8_000_000) };
await publish('display_data', { data, metadata: {} });
const deep = '['.repeat(50_000) + ']'.repeat(50_000);
await publish('display_data', '{"data": {"text/plain": "deep", "application/json": ' + deep + '}, "metadata": {}}');`;
  const { results } = await open.run(code);
  expect(results).toEqual([
    { data: { 'text/plain': 'shown' }, metadata: { omitted: ['text/html'] }, isMain: false },
    { data: { 'text/plain': 'deep' }, metadata: { omitted: ['application/json'] }, isMain: false },
  ]);
});

test('reports the error of the reply if the kernel published none, without the colours of a terminal', async () => {
  await using open = await openScripted();
  const code = `return { status: 'error', ename: 'Oops', evalue: '\\u001b[31mno', traceback: ['\\u001b[0;31mline 1'] };`;
  expect(await open.run(code)).toMatchObject({
    end: { status: 'failed' },
    error: { name: 'Oops', message: 'no', traceback: ['line 1'] },
  });
});

test('ends a step whose kernel loses its reply or its status', async () => {
  await using open = await openScripted();
  expect(await open.run('return null')).toMatchObject({ end: { status: 'failed' }, error: { name: 'KernelError' } });
  expect((await open.run("return { status: 'ok', idle: false }")).end).toEqual(succeeded);
  expect((await open.run('')).end).toEqual(succeeded);
});

test('attributes late output to the step that it comes from', async () => {
  await using open = await openScripted();
  const first = await open.run('kept.header = header');
  const code = `await publish('stream', { name: 'stdout', text: 'late' }, kept.header)`;
  expect(await open.run(code)).toMatchObject({ end: succeeded, stdout: '' });
  await until('the late output', () => open.background(first.stepId) === 'late');
});

test.for(['', "await publish('error', { ename: 'Stopped', evalue: '', traceback: [] });"])(
  'a step that may not ask for input fails and says so, whatever error its interrupt causes: %j',
  async (error) => {
    await using open = await openScripted();
    const code = `await Promise.race([ask('? '), untilInterrupted()]); ${error} return { status: 'abort' }`;
    expect(await open.run(code)).toMatchObject({
      end: { status: 'failed' },
      error: { name: 'InputRefused', message: expect.stringContaining('stdin: true') },
    });
  },
);

test('a step that may not ask for input ends at once if the kernel loses the interrupt', async () => {
  await using open = await openScripted();
  const code = "void ask('? '); await untilInterrupted(); await untilInterrupted(); return { status: 'abort' }";
  const { error, ms } = await open.run(code);
  expect(error?.name).toBe('InputRefused');
  expect(ms).toBeLessThan(2000);
});

test('a step gets the end of input as the character that stands for it', async () => {
  await using open = await openScripted();
  const code = "await publish('stream', { name: 'stdout', text: JSON.stringify(await ask('? ')) })";
  expect((await open.run(code, undefined, { stdin: () => null })).stdout).toBe('"\\u0004"');
});

test('interrupts a step that has shown nothing, and one whose interrupt comes first', async () => {
  await using open = await openScripted();
  const code = "await untilInterrupted(); return { status: 'abort' }";
  const step = open.run(code);
  open.kernel.interrupt();
  expect((await step).end.status).toBe('interrupted');
  expect((await open.run('')).end).toEqual(succeeded);
});

test.for(['signal', 'message'] as const)('interrupts a step by %s', async (interruptMode) => {
  await using open = await openScripted({ interrupt_mode: interruptMode });
  const code = `await publish('stream', { name: 'stdout', text: 'up' }); await untilInterrupted(); return { status: 'abort' }`;
  const { end, error } = await open.run(code, () => open.kernel.interrupt());
  expect([end.status, error?.name]).toEqual(['interrupted', 'Interrupt']);
  const rescued = await open.run(code.replace('abort', 'ok'), () => open.kernel.interrupt());
  expect(rescued.end).toEqual(succeeded);
});

test('reaches a kernel that joins path and number of its sockets as for TCP', async () => {
  await using open = await openScripted({ separator: ':' });
  expect((await open.run(`await publish('stream', { name: 'stdout', text: 'hi' })`)).stdout).toBe('hi');
});

test('shows what a kernel would show in a pager, and takes a wish to end for an exit', async () => {
  await using open = await openScripted();
  const page = `{ source: 'page', data: { 'text/plain': 'b\\bbold' } }`;
  const { end, results } = await open.run(`return { status: 'ok', payload: [${page}, { source: 'ask_exit' }] }`);
  expect(end).toEqual({ ...succeeded, exitCode: 0 });
  expect(results.map(({ data }) => data)).toEqual([{ 'text/plain': 'bold' }]);
});

test.for([
  ['process.exit(7)', { code: 'kernel_exited', exitCode: 7 }],
  ["process.kill(process.pid, 'SIGKILL')", { code: 'kernel_killed', signal: 'SIGKILL' }],
] as const)('reports the end of the kernel with its cause, after its output: %s', async ([deed, cause]) => {
  await using open = await openScripted();
  const { end, stdout } = await open.run(`console.log('last words'); ${deed}`);
  expect([end, stdout]).toMatchObject([{ status: 'died', cause }, 'last words\n']);
});

test('gives the kernel the variables of its kernelspec', async () => {
  await using open = await openScripted({ env: { OF_SPEC: 'yes' } });
  expect((await open.run('console.log(process.env.OF_SPEC)')).stdout).toBe('yes\n');
});

test('its sockets are in a folder that only its user can open, and nothing of it is left afterwards', async () => {
  const { jupyterPath, ...installed } = installScriptedKernel();
  using _ = installed;
  const open = await openKernel('scripted', { config: { jupyterPath } });
  const { stdout } = await open.run(`
const { statSync } = await import('node:fs');
const { dirname } = await import('node:path');
const folder = dirname(process.argv[2]);
console.log(folder, (statSync(folder).mode & 0o777).toString(8), (statSync(process.argv[2]).mode & 0o777).toString(8))`);
  const [folder = '', ...modes] = stdout.trim().split(' ');
  expect(modes).toEqual(['700', '600']);
  await open[Symbol.asyncDispose]();
  expect(readdirSync('/tmp')).not.toContain(folder.slice('/tmp/'.length));
});

test('a silent step is not for the history of the kernel, and the values of expressions come with its reply', async () => {
  await using open = await openScripted();
  const code = `
const ok = { status: 'ok', data: { 'text/plain': JSON.stringify(content) }, metadata: {} };
return { status: 'ok', user_expressions: { a: ok, b: { status: 'error', ename: 'E', evalue: 'no', traceback: [] } } };`;
  const values: [string, unknown][] = [];
  const none = () => {};
  const expression = (name: string, value: unknown) => void values.push([name, value]);
  const sink = { output: none, result: none, error: none, comm: none, inputRequest: none, expression };
  const run = async (isSilent: boolean) => {
    values.length = 0;
    const expressions = { a: 'x', b: 'y' };
    expect(await open.kernel.execute({ stepId: newId('stp'), code, isSilent, expressions }, sink)).toMatchObject(
      succeeded,
    );
    const [[, a], b] = values as [[string, { data: { 'text/plain': string } }], unknown];
    expect(b).toEqual(['b', { error: { name: 'E', message: 'no', traceback: [] } }]);
    return JSON.parse(a.data['text/plain']);
  };
  const asked = { silent: false, user_expressions: { a: 'x', b: 'y' } };
  expect(await run(true)).toMatchObject({ ...asked, store_history: false });
  expect(await run(false)).toMatchObject({ ...asked, store_history: true });
});

test('each expression that a kernel does not evaluate has an error, if the step succeeds', async () => {
  await using open = await openScripted();
  const none = () => {};
  const run = async (code: string) => {
    const values: [string, unknown][] = [];
    const expression = (name: string, value: unknown) => void values.push([name, value]);
    const sink = { output: none, result: none, error: none, comm: none, inputRequest: none, expression };
    await open.kernel.execute({ stepId: newId('stp'), code, expressions: { a: 'x', constructor: 'y' } }, sink);
    return values;
  };
  const error = { name: 'NotEvaluated', message: 'the kernel did not evaluate the expression', traceback: [] };
  expect(await run(`return { status: 'ok' };`)).toEqual([
    ['a', { error }],
    ['constructor', { error }],
  ]);
  expect(await run(`return { status: 'error', ename: 'E', evalue: 'no', traceback: [] };`)).toEqual([]);
});
