import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { beginIdempotent } from '../../src/registry/idempotency/begin-idempotent.ts';
import { finishIdempotent } from '../../src/registry/idempotency/finish-idempotent.ts';
import { withdrawIdempotent } from '../../src/registry/idempotency/withdraw-idempotent.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 10 });
  db = database.db;
  await registerReplica(db, { id: 'alive', slot: 'a' });
  for (let i = 0; i < 20; i++) await registerReplica(db, { id: `rep_${i}`, slot: `${i}` });
  await registerReplica(db, { id: 'stale', slot: 'b' });
  await db.sql`update replicas set heartbeat_at = now() - interval '1 minute' where id = 'stale'`;
});
afterAll(() => database.drop());

const fingerprint = createHash('sha256').update('body').digest();
const otherFingerprint = createHash('sha256').update('other body').digest();
const begin = (key: string, replicaId = 'alive', resourceId = 'ses_1', print = fingerprint) =>
  beginIdempotent(db, { tenant: 'acme', key, fingerprint: print, replicaId, resourceId });

test('twenty replicas begin a key at once: one is new and the others see it running', async () => {
  const begun = await Promise.all(Array.from({ length: 20 }, (_, i) => begin('at-once', `rep_${i}`, `ses_${i}`)));
  expect(begun.filter(({ state }) => state === 'new')).toHaveLength(1);
  expect(begun.filter(({ state }) => state === 'running')).toHaveLength(19);
});

test('a repeat gets the answer of the first request, and a different request under the key a mismatch', async () => {
  expect(await begin('repeat')).toEqual({ state: 'new', resourceId: 'ses_1' });
  expect((await begin('repeat', 'alive', 'ses_2', otherFingerprint)).state).toBe('mismatch');
  const answer = { tenant: 'acme', key: 'repeat', replicaId: 'alive', status: 201, response: 'sealed' };
  expect(await finishIdempotent(db, answer)).toBe(true);
  expect(await finishIdempotent(db, { ...answer, status: 500 })).toBe(false);
  expect(await begin('repeat', 'alive', 'ses_2')).toEqual({ state: 'done', status: 201, response: 'sealed' });
  expect((await begin('repeat', 'alive', 'ses_2', otherFingerprint)).state).toBe('mismatch');
});

test('the same key of another tenant is another key', async () => {
  const input = { key: 'tenants', fingerprint, replicaId: 'alive', resourceId: 'ses_1' };
  expect((await beginIdempotent(db, { ...input, tenant: 'acme' })).state).toBe('new');
  expect((await beginIdempotent(db, { ...input, tenant: 'other' })).state).toBe('new');
});

test.each(['stale', 'unknown'])(
  'what a replica that is %s left running goes on once, with the first id',
  async (replicaId) => {
    const key = `left-${replicaId}`;
    await begin(key, replicaId, 'ses_first');
    const begun = await Promise.all(Array.from({ length: 10 }, (_, i) => begin(key, `rep_${i}`, 'ses_later')));
    expect(begun.filter(({ state }) => state === 'resumed')).toEqual([{ state: 'resumed', resourceId: 'ses_first' }]);
    expect(begun.filter(({ state }) => state === 'running')).toHaveLength(9);
    const late = { tenant: 'acme', key, replicaId, status: 201, response: 'late' };
    expect(await finishIdempotent(db, late)).toBe(false);
  },
);

test('a withdrawn key is new again, and an answered key cannot be withdrawn', async () => {
  const mine = { tenant: 'acme', key: 'forgotten', replicaId: 'alive' };
  await begin('forgotten');
  await withdrawIdempotent(db, { ...mine, replicaId: 'other' });
  expect(await begin('forgotten', 'alive', 'ses_later')).toEqual({ state: 'resumed', resourceId: 'ses_1' });
  expect((await begin('forgotten', 'rep_1')).state).toBe('running');
  await withdrawIdempotent(db, mine);
  expect(await begin('forgotten', 'alive', 'ses_2')).toEqual({ state: 'new', resourceId: 'ses_2' });
  await finishIdempotent(db, { ...mine, status: 204, response: null });
  await withdrawIdempotent(db, mine);
  expect(await begin('forgotten')).toEqual({ state: 'done', status: 204, response: null });
});
