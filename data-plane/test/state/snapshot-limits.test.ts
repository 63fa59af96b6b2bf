import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { isSaved } from './is-saved.ts';

let installation: Installation;
let holdfast: Holdfast;

const sessionsMax = 3;
const tenantBytesMax = 400_000;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({
    HOLDFAST_SESSIONS_MAX: `${sessionsMax}`,
    HOLDFAST_KEPT_TENANT_BYTES_MAX: `${tenantBytesMax}`,
  });
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

const post = (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body);
const sessions = async () => (await holdfast.request('GET', '/v1/sessions?status=active&status=creating')).body.items;

async function remove(id: string): Promise<void> {
  await eventually(async () => expect((await holdfast.request('DELETE', `/v1/sessions/${id}`)).status).toBe(204));
}

async function keptBytes(): Promise<number> {
  const [row] = await installation.database.db.sql<{ bytes: number }[]>`
    select coalesce(sum(kept_bytes), 0)::float8 as bytes from tenants`;
  return row?.bytes ?? 0;
}

test('forks that exceed the number of sessions are refused, all of them', async () => {
  const { id } = await holdfast.createSession({ language: 'bash' });
  await holdfast.runStep(id, { code: 'x=1' });
  expect(await post(id, '/fork', { count: 3 })).toMatchObject({ status: 429, body: { code: 'quota-exceeded' } });
  expect(await sessions()).toHaveLength(1);
  const forks = (await post(id, '/fork', { count: 2 })).body.items;
  expect(forks).toHaveLength(2);
  for (const one of [{ id }, ...forks]) await remove(one.id);
});

test('states and files of snapshots count for the tenant until they are deleted', async () => {
  expect(await keptBytes()).toBe(0);
  const { id } = await holdfast.createSession({ language: 'bash' });
  await holdfast.runStep(id, { code: 'x=$(printf %050000d 1)' });
  const { body: first } = await post(id, '/snapshots');
  expect(await keptBytes()).toBe(first.size);
  await holdfast.runStep(id, { code: 'x=2$x; printf %01000d 1 > f' });
  const { body: second } = await post(id, '/snapshots');
  expect(await keptBytes()).toBe(first.size + second.size + 1000);
  const { body: named } = await holdfast.request('POST', '/v1/snapshots', { name: 'kept', snapshotId: second.id });
  expect(named.bytes).toBe(second.size + 1000);
  expect(await keptBytes()).toBe(first.size + 2 * (second.size + 1000));
  expect((await holdfast.request('DELETE', `/v1/sessions/${id}/snapshots/${first.id}`)).status).toBe(204);
  expect(await keptBytes()).toBe(2 * (second.size + 1000));
  await remove(id);
  expect(await keptBytes()).toBe(second.size + 1000);
  await holdfast.request('DELETE', '/v1/snapshots/kept');
  expect(await keptBytes()).toBe(0);
});

test('automatic snapshots count, and each takes the place of the one before', async () => {
  const { id } = await holdfast.createSession({ language: 'bash', recovery: 'auto' });
  for (const digit of [1, 2]) {
    await holdfast.runStep(id, { code: `x=$(printf %0100000d ${digit})` });
    await eventually(async () => expect(await isSaved(installation, id)).toBe(true), 60_000);
    const [saved] = await installation.database.db.sql<{ size: number }[]>`
      select size::float8 as size from snapshots where session_id = ${id} and origin = 'auto'`;
    expect(saved?.size).toBeGreaterThan(100_000);
    expect(await keptBytes()).toBe(saved?.size);
  }
  await remove(id);
  expect(await keptBytes()).toBe(0);
}, 120_000);

test('snapshots, names, forks and pauses beyond the bytes of the tenant are refused and change nothing', async () => {
  const { id } = await holdfast.createSession({ language: 'bash' });
  await holdfast.runStep(id, { code: 'x=$(printf %0150000d 1)' });
  const { body: snapshot } = await post(id, '/snapshots');
  const full = { status: 507, body: { code: 'workspace-full' } };
  expect(await post(id, '/fork', { count: 2 })).toMatchObject(full);
  expect(await sessions()).toHaveLength(1);
  expect(await keptBytes()).toBe(snapshot.size);
  expect((await holdfast.request('POST', '/v1/snapshots', { name: 'a', snapshotId: snapshot.id })).status).toBe(201);
  const before = await keptBytes();
  await holdfast.runStep(id, { code: 'x=2$x' });
  expect(await post(id, '/snapshots')).toMatchObject(full);
  expect(await holdfast.request('POST', '/v1/snapshots', { name: 'b', snapshotId: snapshot.id })).toMatchObject(full);
  const start = { language: 'bash', fromSnapshot: 'a' };
  expect(await holdfast.request('POST', '/v1/sessions', start)).toMatchObject(full);
  expect(await post(id, '/pause')).toMatchObject(full);
  expect((await holdfast.runStep(id, { code: 'echo "$x" | wc -c' })).stdout).toBe('150002\n');
  expect(await keptBytes()).toBe(before);
  expect(await sessions()).toHaveLength(1);
  await remove(id);
  expect(await holdfast.createSession(start)).toMatchObject({ status: 'active' });
});
