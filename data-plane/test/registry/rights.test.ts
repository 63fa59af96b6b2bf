import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { UnfitRole } from '../../src/registry/grant-rights.ts';
import { MissingRights, migrate } from '../../src/registry/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let opened: Database[];
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  for (const one of opened) await one.close();
  await database.drop();
});

const { admin, owner, program } = inject('postgres');

/** A handle on the test's database for a role of the server. */
function connectAs({ user, password }: { user: string; password: string }): Database {
  const handle = connectDatabase({ ...(database.address as typeof admin), user, password, poolMax: 1 });
  opened.push(handle);
  return handle;
}

const programRole = { name: program.user, password: program.password };

test.each([
  'create table mine (id int)',
  'create schema mine',
  'create index mine on sessions (tenant)',
  `create function mine() returns int language sql as 'select 1'`,
  'create trigger mine before update on sessions for each row execute function suppress_redundant_updates_trigger()',
  'alter table sessions add column mine int',
  'drop table sessions cascade',
  'truncate sessions cascade',
  'insert into drizzle.__drizzle_migrations (hash, created_at) values (1, 1)',
  `alter role ${program.user} superuser`,
])('the role of the data-plane is refused: %s', async (statement) => {
  database = await createTestDatabase();
  await expect(database.db.sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
});

test('the role of the data-plane owns nothing and has no other role', async () => {
  database = await createTestDatabase();
  const owned = await database.db.sql`select classid::regclass, objid from pg_shdepend
    where deptype = 'o' and refobjid = (select oid from pg_roles where rolname = current_user)`;
  expect(owned).toEqual([]);
  const roles = await database.db.sql`select rolname from pg_roles where pg_has_role(oid, 'member')`;
  expect(roles).toEqual([{ rolname: program.user }]);
});

test('a table of a later migration can be used at once, and not be emptied', async () => {
  database = await createTestDatabase();
  const { db, owner } = database;
  await owner.sql`create table later (id int, counted serial)`;
  await db.sql`insert into later (id) values (1)`;
  await db.sql`update later set id = 2`;
  expect(await db.sql`select id from later`).toEqual([{ id: 2 }]);
  await db.sql`delete from later`;
  await expect(db.sql`truncate later`).rejects.toMatchObject({ code: '42501' });
});

test('a table that others have made in the same schema is not shared', async () => {
  database = await createTestDatabase();
  await connectAs(admin).sql`create table public.foreign_records (id int)`;
  await migrate(database.owner, { program: programRole });
  await expect(database.db.sql`select from foreign_records`).rejects.toMatchObject({ code: '42501' });
});

test('replicas under a role that owns nothing start on tables that are up to date, and not on others', async () => {
  database = await createTestDatabase({ template: 'template1' });
  const replica = connectAs(program);
  await expect(migrate(replica)).rejects.toThrow(/^has no tables of this version, and this role may not make them$/);
  await migrate(database.owner);
  await expect(migrate(replica)).rejects.toThrow(/^has tables that this role may not use/);
  await expect(migrate(replica)).rejects.toThrow(MissingRights);
  await migrate(database.owner, { program: programRole });
  await migrate(replica);
});

test('two URLs that are swapped are refused, and nothing is granted', async () => {
  database = await createTestDatabase();
  const swapped = migrate(connectAs(program), { program: { name: owner.user, password: owner.password } });
  await expect(swapped).rejects.toThrow(/owns none of the tables; are the two URLs swapped/);
});

test('a role that has the rights of the owner is refused as the role of the data-plane', async () => {
  database = await createTestDatabase();
  const { owner } = inject('postgres');
  for (const { user, password } of [owner, admin]) {
    await expect(migrate(database.owner, { program: { name: user, password } })).rejects.toThrow(UnfitRole);
  }
});

test('the migration makes a missing role if it may, with the password of its URL', async () => {
  database = await createTestDatabase();
  const made = { name: `Made-${randomBytes(6).toString('hex')}`, password: `it's "secret"\\` };
  await expect(migrate(database.owner, { program: made })).rejects.toThrow(/does not exist/);
  const superuser = connectAs(admin);
  await migrate(superuser, { program: made });
  await migrate(superuser, { program: made });
  const own = connectAs({ user: made.name, password: made.password });
  expect(await own.sql`select from sessions`).toHaveLength(0);
  await expect(own.sql`truncate sessions cascade`).rejects.toMatchObject({ code: '42501' });
  await superuser.sql.unsafe(`drop owned by "${made.name}"; drop role "${made.name}"`);
});
