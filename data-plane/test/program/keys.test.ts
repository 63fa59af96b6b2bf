import { randomBytes } from 'node:crypto';
import type { TenantAuditEntry } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSigningKey } from '../../src/keys/signing-keys.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { client } from '../support/start-holdfast.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

const bootstrapKey = 'the-first-key-of-the-deployment-0123456789';
const signingKey = () => Buffer.from(newSigningKey()).toString('base64');
const encryptionKey = () => randomBytes(32).toString('base64');
const old = { HOLDFAST_SIGNING_KEY: signingKey(), HOLDFAST_ENCRYPTION_KEY: encryptionKey() };

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let one: Replica;
let other: Replica;
const as = (key: string, at: Replica) => client(at.url, { authorization: `Bearer ${key}` });
const start = (env: Record<string, string> = old) =>
  startReplicaOnKubernetes(fake, { DATABASE_URL: database.url, HOLDFAST_BOOTSTRAP_API_KEY: bootstrapKey, ...env });

beforeAll(async () => {
  [fake, database] = await Promise.all([startFakeKubernetes(), createTestDatabase()]);
  [one, other] = [await start(), await start()];
}, 60_000);
afterAll(async () => {
  await one?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await fake?.close();
  await database?.drop();
});

type NewKey = { id: string; key: string };
async function createKey(scopes: string[] = ['run'], by = bootstrapKey, idempotencyKey?: string): Promise<NewKey> {
  const more: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
  const { body } = await as(by, one).request('POST', '/v1/api-keys', { tenant: 'default', scopes }, more);
  return body;
}

test('a key that is revoked on one replica ends its streams and its signed URLs on the other', async () => {
  const { id, key } = await createKey();
  const api = as(key, other);
  const session = await api.createSession();
  const step = await api.runStep(session.id, { code: 'open("a.txt", "w").write("content")' });
  const artifact = `/v1/sessions/${session.id}/artifacts/${step.artifacts[0]?.id}`;
  const signed = (await api.request('GET', `${artifact}?signedSeconds=600`)).body.url;
  const signedStatus = async () => {
    const response = await fetch(other.url + signed);
    await response.arrayBuffer();
    return response.status;
  };
  expect(await signedStatus()).toBe(200);

  const seen: string[] = [];
  const stream = (async () => {
    const code = 'import time\nfor i in range(6000): print(i, flush=True); time.sleep(0.01)';
    for await (const event of api.streamStep(session.id, { code, onDisconnect: 'interrupt' })) seen.push(event.type);
  })().then(
    () => 'ended',
    () => 'cut',
  );
  await eventually(() => expect(seen).toContain('stdout'));
  expect((await as(bootstrapKey, one).request('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
  expect(await stream).toBe('cut');
  expect(seen).not.toContain('finished');
  expect(await signedStatus()).toBe(403);
  await eventually(async () => expect((await api.request('GET', `/v1/sessions/${session.id}`)).status).toBe(401));
  await as(bootstrapKey, one).request('DELETE', `/v1/sessions/${session.id}`);
});

test('keys that are created and revoked are in the audit log of their tenant, each once', async () => {
  const admin = as(bootstrapKey, one);
  const create = async (tenant: string, scopes: string[]): Promise<NewKey> =>
    (await admin.request('POST', '/v1/api-keys', { tenant, scopes, name: `of ${tenant}` })).body;
  const [mine, foreign] = [await create('first', ['run', 'host']), await create('second', ['run'])];
  for (let time = 0; time < 2; time++) await admin.request('DELETE', `/v1/api-keys/${foreign.id}`);
  const seenBy = async (key: string, query = '') => (await as(key, other).request('GET', `/v1/audit${query}`)).body;
  const own = await seenBy(mine.key);
  expect(own.items).toMatchObject([
    {
      tenant: 'first',
      actor: 'host',
      operation: 'api-key.create',
      arguments: { id: mine.id, name: 'of first', scopes: ['run', 'host'] },
    },
  ]);
  expect(JSON.stringify(own)).not.toContain(mine.key);
  const all = (await seenBy(bootstrapKey, '?limit=200')).items as TenantAuditEntry[];
  const [first] = (await admin.request('GET', '/v1/api-keys?limit=200')).body.items.slice(-1);
  expect(all[0]).toMatchObject({ actor: 'system', operation: 'api-key.create', arguments: { id: first.id } });
  const ofForeign = all.filter((entry) => entry.arguments?.id === foreign.id);
  expect(ofForeign.map(({ operation, keyId }) => [operation, keyId])).toEqual([
    ['api-key.create', first.id],
    ['api-key.revoke', first.id],
  ]);
  const page = await seenBy(bootstrapKey, '?limit=1&operation=api-key.revoke');
  expect(page).toMatchObject({ items: [{ operation: 'api-key.revoke' }] });
  const lines = await fetch(`${one.url}/v1/audit`, {
    headers: { accept: 'application/x-ndjson', authorization: `Bearer ${bootstrapKey}` },
  });
  expect(
    (await lines.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(all);
  const guest = (await createKey(['run'])).key;
  expect((await as(guest, one).request('GET', '/v1/audit')).status).toBe(403);
});

test('the last key with the scope admin cannot be revoked, and another one can', async () => {
  const api = as(bootstrapKey, one);
  const { items } = (await api.request('GET', '/v1/api-keys')).body;
  const [first] = items.filter(({ scopes }: { scopes: string[] }) => scopes.includes('admin'));
  const refused = await api.request('DELETE', `/v1/api-keys/${first.id}`);
  expect(refused).toMatchObject({ status: 409, body: { code: 'last-admin-key' } });
  const { id } = await createKey(['admin']);
  expect((await api.request('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
});

test('a repeat of the creation of a key shows the key to the same caller only', async () => {
  const admin = await createKey(['admin']);
  const made = await createKey(['run'], bootstrapKey, 'once');
  expect(await createKey(['run'], bootstrapKey, 'once')).toEqual(made);
  const foreign = await createKey(['run'], admin.key, 'once');
  expect(foreign).toMatchObject({ code: 'idempotency-mismatch' });
  await as(bootstrapKey, one).request('DELETE', `/v1/api-keys/${admin.id}`);
});

test('a rotation of both keys, one replica at a time, loses no session, no variable, no URL and no repeat', async () => {
  const api = () => as(bootstrapKey, one);
  const once = { 'idempotency-key': 'once-across-the-rotation' };
  const request = { code: 'x = 41', language: 'python' } as const;
  const session = await api().createSession({ env: { HIDDEN: 'value' } });
  const first = await api().runStep(session.id, request, once);
  const made = await api().runStep(session.id, { code: 'open("b.txt", "w").write("content")' });
  const artifact = `/v1/sessions/${session.id}/artifacts/${made.artifacts[0]?.id}`;
  const { url } = (await api().request('GET', `${artifact}?signedSeconds=600`)).body;

  const next = { signing: signingKey(), encryption: encryptionKey() };
  const before = {
    ...old,
    HOLDFAST_NEXT_SIGNING_KEY: next.signing,
    HOLDFAST_NEXT_ENCRYPTION_KEY: next.encryption,
  };
  const after = {
    HOLDFAST_SIGNING_KEY: next.signing,
    HOLDFAST_ENCRYPTION_KEY: next.encryption,
    HOLDFAST_PREVIOUS_SIGNING_KEY: old.HOLDFAST_SIGNING_KEY,
    HOLDFAST_PREVIOUS_ENCRYPTION_KEY: old.HOLDFAST_ENCRYPTION_KEY,
  };
  const check = async (at: Replica) => {
    const step = await as(bootstrapKey, at).runStep(session.id, { code: 'import os; (x, os.environ["HIDDEN"])' });
    expect(step.results[0]?.data['text/plain']).toBe("(41, 'value')");
    expect(await as(bootstrapKey, at).runStep(session.id, request, once)).toEqual(first);
    expect((await fetch(at.url + url)).status).toBe(200);
    const young = await as(bootstrapKey, at).createSession();
    expect((await as(bootstrapKey, one).runStep(young.id, { code: '1' })).status).toBe('succeeded');
    expect((await as(bootstrapKey, other).runStep(young.id, { code: '1' })).status).toBe('succeeded');
    await as(bootstrapKey, at).request('DELETE', `/v1/sessions/${young.id}`);
  };
  for (const env of [before, after]) {
    // As after a long stop: the stored token has expired, so a replica has to mint one that the session's agent accepts.
    await one[Symbol.asyncDispose]();
    one = await start(env);
    await database.db.sql`update session_routes set token_expires_at = now() - interval '1 hour'`;
    await check(one);
    await other[Symbol.asyncDispose]();
    other = await start(env);
    await database.db.sql`update session_routes set token_expires_at = now() - interval '1 hour'`;
    await check(other);
  }
}, 120_000);
