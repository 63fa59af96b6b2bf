import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseSession } from '../../src/registry/mcp-sessions/choose-session.ts';
import { findCancelled } from '../../src/registry/mcp-sessions/find-cancelled.ts';
import { insertMcpSession } from '../../src/registry/mcp-sessions/insert-mcp-session.ts';
import { markCancelled } from '../../src/registry/mcp-sessions/mark-cancelled.ts';
import { purgeMcpSessions } from '../../src/registry/mcp-sessions/purge-mcp-sessions.ts';
import { useMcpSession } from '../../src/registry/mcp-sessions/use-mcp-session.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const client = { keyId: 'key_a', clientName: 'test', sessionKey: null };

async function open(tenant: string, perTenantMax = 100): Promise<string> {
  const row = { id: newId('mcp'), tenant, ...client, perTenantMax };
  return (await insertMcpSession(database.db, row)).id;
}

const use = (id: string, { tenant, keyId = 'key_a' }: { tenant: string; keyId?: string | null }) =>
  useMcpSession(database.db, { id, tenant, keyId, unusedSecondsMax: 60 });

const age = (id: string, seconds: number) =>
  database.db.sql`update mcp_sessions set last_used_at = now() - ${seconds} * interval '1 second' where id = ${id}`;

test('is found by its tenant and its key alone', async () => {
  const id = await open('acme');
  expect(await use(id, { tenant: 'acme' })).toMatchObject({ id, clientName: 'test', sessionId: null });
  expect(await use(id, { tenant: 'other' })).toBeNull();
  expect(await use(id, { tenant: 'acme', keyId: 'key_b' })).toBeNull();
  expect(await use(id, { tenant: 'acme', keyId: null })).toBeNull();
});

test('ends if it is not used, and using it keeps it', async () => {
  const [unused, used] = [await open('idle'), await open('idle')];
  await age(used, 50);
  await use(used, { tenant: 'idle' });
  await age(unused, 61);
  expect(await use(unused, { tenant: 'idle' })).toBeNull();
  expect(await purgeMcpSessions(database.db, { seconds: 60 })).toBe(1);
  expect(await use(used, { tenant: 'idle' })).not.toBeNull();
});

test('a tenant has at most so many, also if they are opened at once; those that were not used for longest end', async () => {
  const first = await open('many', 5);
  await age(first, 30);
  const others = await Promise.all(Array.from({ length: 20 }, () => open('many', 5)));
  const left = await database.db.sql`select id from mcp_sessions where tenant = 'many'`;
  expect(left).toHaveLength(5);
  expect(others).toEqual(expect.arrayContaining(left.map(({ id }) => id)));
});

test('one of two choices at once holds, and both know which', async () => {
  const id = await open('choosing');
  const choices = await Promise.all(
    ['ses_1', 'ses_2'].map((sessionId) => chooseSession(database.db, { id, sessionId, instead: null })),
  );
  expect(new Set(choices).size).toBe(1);
  expect(await chooseSession(database.db, { id, sessionId: null, instead: choices[0] ?? null })).toBeNull();
  expect(await chooseSession(database.db, { id: 'mcp_gone', sessionId: 'ses_1', instead: null })).toBeUndefined();
});

test('a mark of a cancelled call is found until it is old, and the latest ones alone are kept', async () => {
  const [id, other] = [await open('cancelling'), await open('cancelling')];
  const mark = (key: string) => markCancelled(database.db, { id, key, secondsMax: 60, marksMax: 3 });
  const find = (secondsMax = 60) => findCancelled(database.db, { ids: [id, other], secondsMax });
  await Promise.all(['a', 'b'].map(mark));
  expect((await find()).sort()).toEqual(['a', 'b']);
  for (const key of ['c', 'd', 'e']) expect(await mark(key)).toBeNull();
  expect(await find()).toEqual(['c', 'd', 'e']);
  expect(await find(0)).toEqual([]);
  await database.db.sql`
    update mcp_sessions set cancelled = '[{"key": "old", "at": "2020-01-01T00:00:00Z"}]'::jsonb where id = ${id}`;
  await mark('f');
  expect(await find(1e9)).toEqual(['f']);
  expect(await markCancelled(database.db, { id: 'mcp_gone', key: 'a', secondsMax: 60, marksMax: 3 })).toBeUndefined();
});
