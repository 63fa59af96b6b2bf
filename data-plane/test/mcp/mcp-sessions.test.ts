import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseSession } from '../../src/registry/mcp-sessions/choose-session.ts';
import { insertMcpSession } from '../../src/registry/mcp-sessions/insert-mcp-session.ts';
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
