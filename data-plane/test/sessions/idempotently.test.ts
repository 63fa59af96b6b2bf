import { hash, randomBytes } from 'node:crypto';
import { newId, Problem } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/access/create-api-key.ts';
import { createSeal } from '../../src/keys/seal.ts';
import { findApiKeyByHash } from '../../src/registry/api-keys/find-api-key-by-hash.ts';
import type { Database } from '../../src/registry/connect.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { idempotently } from '../../src/sessions/idempotently.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  for (const id of ['rep_1', 'rep_2']) await registerReplica(database.db, { id, slot: id });
});
afterAll(() => database.drop());

const seal = createSeal({ current: randomBytes(32) });
const replica = (replicaId = 'rep_1', db = database.db) => ({ db, seal, replicaId });

/** A database on which statements of this kind fail; with `late`, after they have done their work. */
function failing(kind: 'insert' | 'update', { late = false } = {}): Database {
  let failed = false;
  const orm = new Proxy(database.db.orm, {
    get(target, name) {
      if (name !== kind || failed) return Reflect.get(target, name).bind(target);
      if (!late) throw new Error('cut');
      failed = true;
      return (...args: [never]) => cutAfter(Reflect.apply(Reflect.get(target, name), target, args));
    },
  });
  return { ...database.db, orm };
}

/** Runs the built statement, then says that the connection was cut. */
function cutAfter(builder: object): object {
  return new Proxy(builder, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === 'then')
        return (resolve: never, reject: (error: Error) => void) =>
          value.call(target, () => reject(new Error('cut')), reject) ?? resolve;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => cutAfter(value.apply(target, args));
    },
  });
}

const request = (key: string, newId = 'ses_1') => ({ tenant: 'acme', key, request: ['make'], newId });
const make = async (id: string) => ({ id });

test('a creation is answered even if its answer cannot be stored, and a repeat finds what it made', async () => {
  expect(await idempotently(replica('rep_1', failing('update')), request('unfinished'), make)).toEqual({ id: 'ses_1' });
  expect(await idempotently(replica(), request('unfinished', 'ses_2'), make)).toEqual({ id: 'ses_1' });
  expect(await idempotently(replica('rep_2'), request('unfinished', 'ses_3'), make)).toEqual({ id: 'ses_1' });
});

test('a key whose answer could be stored by no statement is freed for other replicas as soon as the database takes one', async () => {
  const { owner, db } = database;
  await owner.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'away' using errcode = '58030'; end $$;
    create trigger away before update or delete on idempotency_keys for each row execute function refuse()`);
  expect(await idempotently(replica(), request('kept'), make)).toEqual({ id: 'ses_1' });
  const elsewhere = () => idempotently(replica('rep_2'), request('kept', 'ses_2'), make);
  await expect(elsewhere()).rejects.toMatchObject({ slug: 'idempotency-conflict' });
  await owner.sql.unsafe('drop trigger away on idempotency_keys; drop function refuse');
  await eventually(async () => {
    const [row] = await db.sql`select replica_id from idempotency_keys where key = 'kept'`;
    expect(row).toEqual({ replica_id: null });
  });
  expect(await elsewhere()).toEqual({ id: 'ses_1' });
});

test('the same replica continues under a key whose insert was done and not confirmed', async () => {
  const cut = idempotently(replica('rep_1', failing('insert', { late: true })), request('unconfirmed'), make);
  await expect(cut).rejects.toThrow('cut');
  expect(await idempotently(replica(), request('unconfirmed', 'ses_2'), make)).toEqual({ id: 'ses_1' });
});

test('a creation that may have made something leaves its id to a repeat on any replica; a refused one does not', async () => {
  const fail = (error: Error) => async () => {
    throw error;
  };
  await expect(idempotently(replica(), request('unknown'), fail(new Error('cut')))).rejects.toThrow('cut');
  expect(await idempotently(replica('rep_2'), request('unknown', 'ses_2'), make)).toEqual({ id: 'ses_1' });
  const refusal = fail(new Problem('quota-exceeded'));
  await expect(idempotently(replica(), request('refused'), refusal)).rejects.toThrow('quota');
  expect(await idempotently(replica('rep_2'), request('refused', 'ses_2'), make)).toEqual({ id: 'ses_2' });
});

test('one of several repeats at once on two replicas creates, and the others answer 409 or 422', async () => {
  const made: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const slow = async (id: string) => {
    made.push(id);
    await held;
    return { id };
  };
  const slugs: string[] = [];
  const attempts = Array.from({ length: 10 }, (_, i) =>
    idempotently(replica(i % 2 ? 'rep_1' : 'rep_2'), request('at-once', `ses_${i}`), slow).catch((error) => {
      if (slugs.push(error.slug) === 9) release();
    }),
  );
  await Promise.all(attempts);
  expect(made).toHaveLength(1);
  expect(slugs).toEqual(Array(9).fill('idempotency-conflict'));
  const other = { ...request('at-once'), request: ['other'] };
  await expect(idempotently(replica(), other, slow)).rejects.toMatchObject({
    slug: 'idempotency-mismatch',
    options: { detail: expect.stringContaining('send a new key') },
  });
});

test('an API key that was never returned because of a crash is replaced by the one that a repeat returns', async () => {
  const input = {
    caller: { tenant: 'acme', scopes: new Set(['admin'] as const), keyId: null },
    request: { tenant: 'acme', name: 'made', scopes: ['run' as const] },
    idempotencyKey: newId('key'),
  };
  const untold = await createApiKey(replica('rep_1', failing('update')), input);
  const told = await createApiKey(replica('rep_2'), input).catch(() => createApiKey(replica(), input));
  expect(told.id).toBe(untold.id);
  expect(told.key).not.toBe(untold.key);
  const found = (key: string) => findApiKeyByHash(database.db, { hash: hash('sha256', key, 'buffer') });
  expect(await found(told.key)).toMatchObject({ id: untold.id });
  expect(await found(untold.key)).toBeNull();
});
