import { createHash } from 'node:crypto';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listExpectedFiles } from '../../src/registry/proposals/list-expected.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
}, 120_000);
afterAll(() => database.drop(), 120_000);

const digest = (text: string) => createHash('sha256').update(text).digest();

/** A world with a file and a link. */
async function withEntries() {
  const { sql } = database.db;
  const { id } = await activeSession(database.db);
  for (const text of ['../data', 'bytes', 'other'])
    await sql`
      insert into contents (id, sha256, size, store) values (${newId('obj')}, ${digest(text)}, ${text.length}, 'postgres')
      on conflict do nothing`;
  await sql`
    insert into world_files (session_id, path, size, sha256, executable, mode, target) values
      (${id}, 'file', 5, ${digest('bytes')}, false, '0640', null),
      (${id}, 'link', 7, ${digest('../data')}, false, null, '../data'),
      (${id}, 'program', 5, ${digest('bytes')}, true, '0711', null),
      (${id}, 'unknown', 5, ${digest('bytes')}, true, null, null)`;
  return id;
}

const shown = (files: Awaited<ReturnType<typeof listWorldFiles>>) =>
  files.map(({ path, executable, mode, target }) => [path, executable, mode, target]);

test('the mode of a file and the target of a link are believed until a replica that does not know them replaces either', async () => {
  const sessionId = await withEntries();
  const { db } = database;
  const expected = [
    ['file', false, '0640', null],
    ['link', false, null, '../data'],
    ['program', true, '0711', null],
    ['unknown', true, null, null],
  ];
  expect(shown(await listWorldFiles(db, { sessionId }))).toEqual(expected);
  await db.sql`
    update world_files set sha256 = ${digest('other')}, executable = path <> 'program'
    where session_id = ${sessionId} and path <> 'unknown'`;
  const replaced = [
    ['file', true, null, null],
    ['link', true, null, null],
    ['program', false, null, null],
    ['unknown', true, null, null],
  ];
  expect(shown(await listWorldFiles(db, { sessionId }))).toEqual(replaced);
  expect(shown(await listExpectedFiles(db, { sessionId }))).toEqual(replaced);
});
