import { createHash } from 'node:crypto';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countLiveApiKeys } from '../../src/registry/api-keys/count-live-api-keys.ts';
import { findApiKeyByHash } from '../../src/registry/api-keys/find-api-key-by-hash.ts';
import { listApiKeys } from '../../src/registry/api-keys/list-api-keys.ts';
import { revokeApiKey } from '../../src/registry/api-keys/revoke-api-key.ts';
import { storeApiKey } from '../../src/registry/api-keys/store-api-key.ts';
import { storeConfiguredApiKey } from '../../src/registry/api-keys/store-configured-api-key.ts';
import type { Database } from '../../src/registry/connect.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.drop());

const hashOf = (key: string) => createHash('sha256').update(key).digest();
const change = { actor: 'host', operation: 'api-key.revoke' } as const;
const entry = (tenant: string) =>
  ({ sessionId: null, tenant, actor: 'host', operation: 'api-key.create', decision: 'allowed' }) as const;
const insert = (key: string, tenant = 'acme') =>
  storeApiKey(db, { id: newId('key'), tenant, name: key, scopes: ['run', 'admin'], hash: hashOf(key) }, entry(tenant));

test('finds a key by its whole hash, not by the beginning of the hash', async () => {
  const key = await insert('found');
  expect(await findApiKeyByHash(db, { hash: hashOf('found') })).toEqual(key);
  expect(key?.scopes).toEqual(['run', 'admin']);
  const sameBeginning = Buffer.concat([hashOf('found').subarray(0, 8), Buffer.alloc(24)]);
  expect(await findApiKeyByHash(db, { hash: sameBeginning })).toBeNull();
  expect(await findApiKeyByHash(db, { hash: hashOf('other') })).toBeNull();
});

test('storing a configured key revokes the previously configured one, and no other', async () => {
  const configure = (key: string) =>
    storeConfiguredApiKey(db, { id: newId('key'), tenant: 'acme', name: key, scopes: ['run'], hash: hashOf(key) });
  const isKnown = async (key: string) => (await findApiKeyByHash(db, { hash: hashOf(key) })) !== null;
  await insert('made by hand');
  for (const key of ['leaked', 'leaked', 'new']) await configure(key);
  expect([await isKnown('leaked'), await isKnown('new'), await isKnown('made by hand')]).toEqual([false, true, true]);
  await configure('leaked');
  expect(await isKnown('leaked')).toBe(false);
});

test('a revoked key is no longer found, is still listed, and has the time of its first revocation', async () => {
  const key = await insert('revoked');
  const before = await countLiveApiKeys(db);
  const id = key?.id ?? '';
  const revokedAt = async () =>
    (await listApiKeys(db, { limit: 50 })).items.find((listed) => listed.id === id)?.revokedAt;
  expect(await revokeApiKey(db, { id, change })).toBe('revoked');
  const first = await revokedAt();
  expect(first).toBeInstanceOf(Date);
  expect(await revokeApiKey(db, { id, change })).toBe('revoked');
  expect(await revokedAt()).toEqual(first);
  expect(await revokeApiKey(db, { id: 'key_none', change })).toBe('not-found');
  expect(await findApiKeyByHash(db, { hash: hashOf('revoked') })).toBeNull();
  expect(await countLiveApiKeys(db)).toBe(before - 1);
  expect((await listApiKeys(db, { limit: 50 })).items.map(({ name }) => name)).toContain('revoked');
});

test('one of two admin keys stays if both are revoked at the same time', async () => {
  await db.sql`update api_keys set revoked_at = coalesce(revoked_at, now())`;
  for (let round = 0; round < 20; round++) {
    const [one, other] = await Promise.all([1, 2].map((n) => insert(`admin ${round} ${n}`)));
    const ids = [one?.id ?? '', other?.id ?? ''];
    const results = await Promise.all(ids.map((id) => revokeApiKey(db, { id, change })));
    // From the second round on, the key that stayed is a third one.
    expect(results.filter((result) => result === 'revoked').length).toBeGreaterThan(0);
    const live = await db.sql`select from api_keys where revoked_at is null and scopes @> '["admin"]'`;
    expect(live).toHaveLength(1);
    await db.sql`update api_keys set revoked_at = now() where revoked_at is null and not id = any(${ids})`;
  }
});

test('lists keys newest first, by page and tenant', async () => {
  for (const name of ['a', 'b', 'c']) await insert(name, 'listed');
  await db.sql`update api_keys set created_at = '2026-01-01'::timestamptz + (ascii(name) || ' ms')::interval`;
  const first = await listApiKeys(db, { tenant: 'listed', limit: 2 });
  const second = await listApiKeys(db, { tenant: 'listed', limit: 2, cursor: first.nextCursor ?? '' });
  expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  expect(second.nextCursor).toBeNull();
});
