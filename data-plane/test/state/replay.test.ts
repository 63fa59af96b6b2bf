import { afterAll, beforeAll, expect, test } from 'vitest';
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

const post = (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body);
const shown = async (id: string, code: string) => (await holdfast.runStep(id, { code })).results[0]?.data['text/plain'];

async function replay(id: string) {
  const { status, body } = await post(id, '/recover', { strategy: 'replay' });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.lastRecovery.contexts;
}

test('a replay runs the whole history again, and shows nothing of it', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'items = []' });
  await holdfast.runStep(id, { code: 'print("once"); items.append(len(items))' });
  await holdfast.runStep(id, { code: 'n = 1', language: 'ruby' });
  expect(await replay(id)).toMatchObject([
    { contextId: 'python', replayed: ['items'], lost: [], stopped: null },
    { contextId: 'ruby', replayed: ['n'], lost: [] },
  ]);
  const step = await holdfast.runStep(id, { code: 'items' });
  expect(step).toMatchObject({ stdout: '', contextEpoch: 2, results: [{ data: { 'text/plain': '[0]' } }] });
});

/** Sessions that begin with `items` as `[1]`, made in steps of another session or before a restore. */
const beginnings: [string, () => Promise<string>][] = [
  [
    'a fork',
    async () => {
      const { id } = await holdfast.createSession({ recovery: 'auto' });
      await holdfast.runStep(id, { code: 'items = [1]' });
      return (await post(id, '/fork', {})).body.items[0].id;
    },
  ],
  [
    'an export',
    async () => {
      const fromExport = { nbformat: 4, cells: [{ cell_type: 'code', source: 'items = [1]' }] };
      return (await holdfast.createSession({ fromExport, recovery: 'auto' })).id;
    },
  ],
  [
    'a restored snapshot',
    async () => {
      const { id } = await holdfast.createSession({ recovery: 'auto' });
      await holdfast.runStep(id, { code: 'items = [1]' });
      const { body: snapshot } = await post(id, '/snapshots', {});
      await holdfast.runStep(id, { code: 'items = "undone"; more = 1' });
      expect((await post(id, '/restore', { snapshotId: snapshot.id })).status).toBe(200);
      return id;
    },
  ],
];

test.each(beginnings)('a replay of %s starts from its beginning, also after later snapshots', async (_how, begin) => {
  const id = await begin();
  await holdfast.runStep(id, { code: 'items.append(2)' });
  // The snapshots that a recovery would start from replace each other, but not the beginning.
  expect((await post(id, '/snapshots', {})).status).toBe(201);
  await holdfast.runStep(id, { code: 'items.append(3)' });
  for (const _again of [1, 2]) {
    expect(await replay(id)).toMatchObject([{ contextId: 'python', lost: [], stopped: null }]);
    expect(await shown(id, 'items, "more" in dir()')).toBe('([1, 2, 3], False)');
  }
});

test('a replay of a restarted context starts from its restart', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.runStep(id, { code: 'before = 1' });
  expect((await post(id, '/contexts/python/restart')).status).toBe(200);
  await holdfast.runStep(id, { code: 'after = 2' });
  expect(await replay(id)).toMatchObject([{ replayed: ['after'], lost: [] }]);
  expect(await shown(id, '"before" in dir(), after')).toBe('(False, 2)');
});
