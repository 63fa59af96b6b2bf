import type { AuditEntry } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Holdfast, startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

let holdfast: Holdfast;
let data: Awaited<ReturnType<typeof temporaryDataDir>>;
beforeAll(async () => {
  data = await temporaryDataDir();
  holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: data.path });
}, 120_000);
afterAll(async () => {
  await holdfast?.stop();
  await data?.remove();
});

const auditOf = async (id: string): Promise<AuditEntry[]> =>
  (await holdfast.request('GET', `/v1/sessions/${id}/audit?limit=200`)).body.items;

test('everything that a host does to a session is in its log, in order, and stays there after its deletion', async () => {
  const { id } = await holdfast.createSession();
  const of = `/v1/sessions/${id}`;
  const send = async (method: string, path: string, body?: unknown) => {
    const { status } = await holdfast.request(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
  };
  await holdfast.runStep(id, { code: 'x = 1', actor: 'user' });
  await holdfast.runStep(id, { code: 'x += 1' }, { 'idempotency-key': 'once' });
  await send('PATCH', of, { metadata: { topic: 'a', apiToken: 'not for the log' } });
  await send('PUT', `${of}/files/a.txt`, 'text');
  await send('POST', `${of}/move`, { from: 'a.txt', to: 'b.txt' });
  await send('DELETE', `${of}/files/b.txt`);
  expect((await holdfast.request('DELETE', `${of}/files/b.txt`)).status).toBe(404);
  const context = (await holdfast.request('POST', `${of}/contexts`, { language: 'bash' })).body;
  await send('POST', `${of}/contexts/${context.id}/restart`);
  await send('DELETE', `${of}/contexts/${context.id}`);
  const snapshot = (await holdfast.request('POST', `${of}/snapshots`, {})).body;
  await send('POST', `${of}/restore`, { snapshotId: snapshot.id });
  await send('DELETE', `${of}/snapshots/${snapshot.id}`);
  await send('POST', `${of}/pause`, { force: true });
  await send('POST', `${of}/resume`);
  await send('POST', `${of}/complete`);
  await holdfast.deleteSession(id);

  const entries = await auditOf(id);
  expect(entries.filter(({ actor }) => actor !== 'system').map(({ operation }) => operation)).toEqual([
    'session.create',
    'step.run',
    'session.update',
    'world.write',
    'world.move',
    'world.delete',
    'context.create',
    'context.restart',
    'context.delete',
    'snapshot.create',
    'snapshot.restore',
    'snapshot.delete',
    'session.pause',
    'session.resume',
    'session.complete',
    'session.delete',
  ]);
  expect(JSON.stringify(entries)).not.toContain('not for the log');
  expect(entries.every(({ decision }) => decision === 'allowed')).toBe(true);
  const system = entries.filter(({ actor }) => actor === 'system').map((entry) => entry.arguments?.status);
  expect(system).toEqual(['active', 'paused', 'active', undefined]);
}, 60_000);

test('the deletion of an active session is an abort and a deletion, and its log can be filtered afterwards', async () => {
  const { id } = await holdfast.createSession();
  await holdfast.deleteSession(id);
  const operationsOf = async (query: string) => {
    const { status, body } = await holdfast.request('GET', `/v1/sessions/${id}/audit?${query}`);
    return [status, body.items.map(({ operation }: { operation: string }) => operation)];
  };
  expect(await operationsOf('operation=session.delete')).toEqual([200, ['session.delete']]);
  expect(await operationsOf('operation=session.abort')).toEqual([200, ['session.abort']]);
  expect(await operationsOf('operation=session.pause')).toEqual([200, []]);
  expect(await operationsOf('turn=3')).toEqual([200, []]);
});

test('the log can be exported as lines, and counted', async () => {
  const { id } = await holdfast.createSession();
  for (let i = 0; i < 3; i++) await holdfast.runStep(id, { code: `${i}` });
  const accept = { headers: { accept: 'application/x-ndjson' } };
  const lines = (await (await fetch(`${holdfast.url}/v1/sessions/${id}/audit`, accept)).text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(await auditOf(id));
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}/audit/statistics`);
  expect(body.items.map(({ operation, count }: { operation: string; count: number }) => [operation, count])).toEqual([
    ['session.create', 1],
    ['session.status', 1],
    ['step.run', 3],
  ]);
  expect((await holdfast.request('GET', '/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/audit')).status).toBe(404);
});
