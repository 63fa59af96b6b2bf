import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { isSaved } from './is-saved.ts';
import { agentOf } from './kill-sandbox.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

const post = (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body);
const printed = async (id: string, code: string) => (await holdfast.runStep(id, { code })).stdout.trim();
const count = async () => (await holdfast.request('GET', '/v1/sessions?limit=200')).body.items.length;

const programs = [
  ['python', 'x = [1]', 'x = [2]', 'print(x[0])'],
  ['node', 'var x = [1]', 'x = [2]', 'console.log(x[0])'],
  ['bash', 'x=1', 'x=2', 'echo $x'],
] as const;
const faults = {
  damaged: (id: string) => installation.database.db.sql`
    update content_pieces set bytes = set_byte(bytes, 20, 255 - get_byte(bytes, 20)) where content_id = ${id} and number = 0`,
  truncated: (id: string) => installation.database.db.sql`
    update content_pieces set bytes = substr(bytes, 1, length(bytes) - 5) where content_id = ${id} and number = 0`,
};

test.each(programs)(
  'a context of %s keeps its state if the stored snapshot is broken, and no fork of it is left',
  async (language, set, change, show) => {
    const { id } = await holdfast.createSession({ language });
    await holdfast.runStep(id, { code: set });
    const { body: snapshot } = await post(id, '/snapshots');
    await holdfast.runStep(id, { code: change });
    const [content] = await installation.database.db.sql<{ id: string }[]>`
    select id from contents where sha256 = decode(${snapshot.sha256}, 'hex')`;
    for (const fault of [faults.damaged, faults.truncated]) {
      expect(await fault(content?.id ?? '')).toHaveProperty('count', 1);
      const before = await count();
      const restored = await post(id, '/restore', { snapshotId: snapshot.id });
      expect([restored.status, restored.body.code]).toEqual([422, 'snapshot-refused']);
      expect(await printed(id, show)).toBe('2');
      const forked = await post(id, '/fork', { snapshotId: snapshot.id, count: 2 });
      expect(forked).toMatchObject({ status: 503, body: { code: 'sandbox-unreachable' } });
      expect(await count()).toBe(before);
    }
  },
  60_000,
);

test('a session whose sandbox dies during a restore has its state of before', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: 'x = 1' });
  const { body: snapshot } = await post(id, '/snapshots');
  await holdfast.runStep(id, { code: 'x = 2' });
  const agent = await agentOf(holdfast, id);
  await eventually(async () => expect(await isSaved(installation, id)).toBe(true), 60_000);
  process.kill(agent, 'SIGSTOP');
  const restoring = post(id, '/restore', { snapshotId: snapshot.id });
  // The request waits for the agent, which has no part of the snapshot yet.
  await expect(Promise.race([restoring, holdfast.request('GET', '/readyz').then(() => 'waits')])).resolves.toBe(
    'waits',
  );
  process.kill(agent, 'SIGKILL');
  expect(await restoring).toMatchObject({ status: 503 });
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'active', epoch: 2 });
  }, 20_000);
  expect(await printed(id, 'print(x)')).toBe('2');
}, 120_000);

test('snapshots move between deployments only if the operator has set a key', async () => {
  const { id } = await holdfast.createSession({ language: 'bash' });
  await holdfast.runStep(id, { code: 'x=1' });
  const { body: snapshot } = await post(id, '/snapshots');
  const path = `/v1/sessions/${id}/snapshots/${snapshot.id}/archive`;
  const refused = {
    status: 501,
    body: { code: 'not-configured', detail: expect.stringContaining('HOLDFAST_TRANSFER_KEY') },
  };
  expect(await holdfast.request('GET', path)).toMatchObject(refused);
  const headers = { 'content-type': 'application/octet-stream' };
  const put = await fetch(`${holdfast.url}/v1/snapshots/any/archive`, { method: 'PUT', headers, body: 'bytes' });
  expect({ status: put.status, body: await put.json() }).toMatchObject(refused);
});
