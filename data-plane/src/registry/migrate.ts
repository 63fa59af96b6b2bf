import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type postgres from 'postgres';
import type { Database } from './connect.ts';
import { lacksRight } from './database-error.ts';
import { grantRights, type ProgramRole } from './grant-rights.ts';

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** An arbitrary number that all replicas share. */
const lockId = 7_305_113;

/**
 * Brings the tables up to date, which needs the role that owns them, and lets `program` use them. If they are up to date, any role will do that
 * may use them. Replicas that start at the same time wait for each other. Replicas of an earlier version that already run go on: every
 * migration leaves them what they use.
 * @throws NewerSchema
 * @throws MissingRights
 * @throws UnfitRole
 */
export async function migrate(
  { connectAlone }: Pick<Database, 'connectAlone'>,
  { program = null }: { program?: ProgramRole | null } = {},
): Promise<void> {
  // An advisory lock belongs to a connection, so the lock and the migrations share a separate one.
  const connection = connectAlone();
  let isOld = false;
  try {
    await connection`select pg_advisory_lock(${lockId})`;
    const known = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0;
    isOld = (await lastMigration(connection)) < known;
    if (isOld) await applyMigrations(drizzle(connection), { migrationsFolder });
    const last = await lastMigration(connection);
    if (last > known) throw new NewerSchema(new Date(last));
    if (program) await grantRights(connection, program);
  } catch (error) {
    throw lacksRight(error) ? new MissingRights(isOld, error) : error;
  } finally {
    await connection.end({ timeout: 5 });
  }
}

/** The time of the last migration, in milliseconds, or 0. */
async function lastMigration(connection: postgres.Sql): Promise<number> {
  const [found] = await connection`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (!found?.name) return 0;
  const [last] = await connection<{ time: string | null }[]>`
    select max(created_at) as time from drizzle.__drizzle_migrations`;
  return Number(last?.time ?? 0);
}

/** The role of the connection may not use the tables, or not bring them up to date. */
export class MissingRights extends Error {
  override name = 'MissingRights';

  constructor(isOld: boolean, cause: unknown) {
    super(
      isOld
        ? 'has no tables of this version, and this role may not make them'
        : 'has tables that this role may not use, or not share',
      { cause },
    );
  }
}

/** The database has a migration that this version does not know, so it may hold rows that this version would misread. */
export class NewerSchema extends Error {
  override name = 'NewerSchema';

  constructor(migratedAt: Date) {
    const version = `a migration of ${migratedAt.toISOString().slice(0, 10)}`;
    super(`was migrated by a newer version of Holdfast (it has ${version}, which this version does not know)`);
  }
}

/** The identity of the database, a uuid. The first caller gives it one, for good. */
export async function identifyDatabase({ sql }: Pick<Database, 'sql'>): Promise<string> {
  await sql`insert into database_identity default values on conflict do nothing`;
  const [row] = await sql<{ id: string }[]>`select id from database_identity`;
  if (!row) throw new Error('the database has no identity');
  return row.id;
}
