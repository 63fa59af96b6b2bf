import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/observability/logger.ts';
import { storeApiKey } from '../../src/registry/api-keys/store-api-key.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('the log of a failed statement names the fault and holds none of its values', async () => {
  const { db, owner } = database;
  const marker = 'value-that-nobody-may-see';
  const key = { id: 'key_1', tenant: marker, name: marker, scopes: [], hash: Buffer.from(`hash ${marker}`) };
  const entry = {
    sessionId: null,
    tenant: marker,
    actor: 'host',
    operation: 'api-key.create',
    decision: 'allowed',
  } as const;
  await owner.sql`alter table api_keys add constraint no_marker check (name = '')`;
  const failed = [
    await storeApiKey(db, key, entry).catch((error) => error),
    await db.sql`select ${marker}::text::int`.catch((error) => error),
  ];
  const lines: string[] = [];
  const log = createLogger({ level: 'error' }, { write: (line) => lines.push(line) });
  for (const err of failed) log.error({ err: new Error('outer', { cause: err }) }, 'failed');
  expect(lines.join('')).not.toContain(marker);
  expect(lines[0]).toContain('insert into \\"api_keys\\"');
  expect(lines[0]).toContain('"code":"23514"');
  expect(lines[0]).toContain('"constraint_name":"no_marker"');
  expect(lines[1]).toContain('"code":"22P02"');
});
