import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { pythonWithCloudpickle } from './python-with-cloudpickle.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_PYTHON: await pythonWithCloudpickle(installation.dataDir) });
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

const exported = async (id: string, query: string) =>
  (await holdfast.request('GET', `/v1/sessions/${id}/export?${query}`)).body;
const shown = async (id: string, code: string) => (await holdfast.runStep(id, { code })).results[0]?.data['text/plain'];
const withoutIds = (cells: { outputs: unknown }[]) => cells.map(({ outputs }) => outputs);

let session: Session;
beforeAll(async () => {
  session = await holdfast.createSession();
  await holdfast.runStep(session.id, {
    code: 'import sys\nprint("out"); print("err", file=sys.stderr); print("again")',
  });
  await holdfast.runStep(session.id, { code: 'x = 1\ndef f(): return x', actor: 'user' });
  await holdfast.runStep(session.id, { code: 'x / 0' });
  await holdfast.runStep(session.id, { code: 'f() + 1' });
  await holdfast.runStep(session.id, { code: 'print("é" * 200_000)' });
});

test('a notebook has each step with its output and its actor', async () => {
  const notebook = await exported(session.id, 'format=ipynb');
  expect(notebook).toMatchObject({ nbformat: 4, nbformat_minor: 5, metadata: { kernelspec: { name: 'python3' } } });
  const [printing, defining, failing, value, long] = notebook.cells;
  expect(withoutIds([printing, value])).toEqual([
    [
      { output_type: 'stream', name: 'stdout', text: 'out\n' },
      { output_type: 'stream', name: 'stderr', text: 'err\n' },
      { output_type: 'stream', name: 'stdout', text: 'again\n' },
    ],
    [{ output_type: 'execute_result', execution_count: 4, data: { 'text/plain': '2' }, metadata: {} }],
  ]);
  expect(defining).toMatchObject({ cell_type: 'code', metadata: { holdfast: { actor: 'user', status: 'succeeded' } } });
  expect(failing).toMatchObject({
    metadata: { tags: ['raises-exception'] },
    outputs: [{ output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' }],
  });
  expect(long.outputs[0].text).toHaveLength(200_001);
});

test('a script has the code that succeeded', async () => {
  const response = await fetch(`${holdfast.url}/v1/sessions/${session.id}/export?format=py`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const script = await response.text();
  expect(script).toContain('x = 1\ndef f(): return x\n\nf() + 1\n');
  expect(script).not.toContain('x / 0');
});

test.each(['json', 'ipynb'])('a session can start from an export as %s', async (format) => {
  const fromExport = await exported(session.id, `format=${format}`);
  const { id, lastRecovery } = await holdfast.createSession({ fromExport });
  expect(lastRecovery?.contexts).toMatchObject([
    { replayed: expect.arrayContaining(['f', 'x']), lost: [], stopped: null },
  ]);
  expect(await shown(id, 'f() + 1')).toBe('2');
});

test.each(['json', 'ipynb'])(
  'an export as %s of another language than the session is refused, and says so',
  async (format) => {
    await holdfast.runStep(session.id, { code: 'b=1', language: 'bash' });
    const fromExport = await exported(session.id, `contextId=bash&format=${format}`);
    const refused = await holdfast.request('POST', '/v1/sessions', { fromExport });
    expect(refused).toMatchObject({ status: 400 });
    expect(JSON.stringify(refused.body)).toContain('must be the language of the export');
    const { lastRecovery } = await holdfast.createSession({ fromExport, language: 'bash' });
    expect(lastRecovery?.contexts).toMatchObject([{ language: 'bash', lost: [] }]);
  },
);

test('the state of an export survives its sandbox before the first step', async () => {
  const fromExport = { nbformat: 4, cells: [{ cell_type: 'code', source: 'n = 5; m = [n]' }] };
  const { id } = await holdfast.createSession({ fromExport, recovery: 'auto' });
  await eventually(async () => {
    const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body;
    expect(items[0]?.saved.map(({ name }: { name: string }) => name)).toEqual(['n', 'm']);
  });
});

const notebook = (...sources: (string | { source: string; metadata: object })[]) => ({
  nbformat: 4,
  cells: sources.map((one) => ({ cell_type: 'code', ...(typeof one === 'string' ? { source: one } : one) })),
});
const started = async (fromExport: object) => {
  const { id, lastRecovery } = await holdfast.createSession({ fromExport });
  return { id, report: lastRecovery?.contexts[0] };
};

test('a cell that may fail does so, and the cells after it run', async () => {
  const failing = { source: 'b = 2\nb / 0', metadata: { tags: ['raises-exception'] } };
  const { id, report } = await started(notebook('a = []', failing, '', 'a.append(b)', '\n'));
  expect(report).toMatchObject({ replayed: ['a', 'b'], lost: [], stopped: null });
  expect(await shown(id, 'a')).toBe('[2]');
});

test('another cell that fails is named by its number', async () => {
  const { id, report } = await started(notebook('a = 1', 'b = 2\nb / 0', 'c = [b]'));
  expect(report).toMatchObject({
    replayed: ['a'],
    lost: [
      { name: 'b', reason: 'cell 3 of the export did not run to its end and may define it' },
      { name: 'c', reason: 'cell 3 of the export did not run to its end and may define it' },
    ],
    stopped: { reason: 'cell 2 of the export: it failed: ZeroDivisionError: division by zero' },
  });
  expect(await shown(id, 'a')).toBe('1');
});

test('an export whose code ends the kernel leaves an empty context, and says so', async () => {
  const { id, report } = await started(notebook('a = 1', 'import os; os._exit(3)'));
  expect(report).toMatchObject({
    replayed: [],
    lost: [{ name: '*', reason: expect.stringContaining('the kernel exited with code 3') }],
  });
  expect(await shown(id, '"a" in dir()')).toBe('False');
});

test('an export that is none is refused, and so is one beside a snapshot', async () => {
  const create = (body: object) => holdfast.request('POST', '/v1/sessions', body);
  const none = await create({ fromExport: { cells: 'none' } });
  expect(none).toMatchObject({ status: 400, body: { errors: [{ detail: expect.stringContaining('nbformat') }] } });
  const fromExport = { nbformat: 4, cells: [] };
  expect((await create({ fromExport, fromSnapshot: `snp_${'0'.repeat(26)}` })).status).toBe(400);
});

test('a context of another language is exported as its own script', async () => {
  await holdfast.runStep(session.id, { code: 'a=1', language: 'bash' });
  expect(await exported(session.id, 'contextId=bash&format=py')).toMatchObject({ status: 422 });
  expect(await exported(session.id, 'contextId=nothing')).toMatchObject({ status: 404 });
  expect(await exported(session.id, 'contextId=bash')).toMatchObject({ metadata: { kernelspec: { name: 'bash' } } });
});
