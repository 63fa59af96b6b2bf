import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type { Database } from './connect.ts';

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** An arbitrary number that all replicas share. */
const lockId = 7_305_113;

/**
 * Brings the tables up to date. Replicas that start at the same time wait for each other. Replicas of an earlier version that already run
 * go on: every migration leaves them what they use.
 * @throws NewerSchema
 */
export async function migrate({ connectAlone }: Pick<Database, 'connectAlone'>): Promise<void> {
  // An advisory lock belongs to a connection, so the lock and the migrations share a separate one.
  const connection = connectAlone();
  try {
    await connection`select pg_advisory_lock(${lockId})`;
    await applyMigrations(drizzle(connection), { migrationsFolder });
    const [last] = await connection<{ createdAt: string }[]>`
      select created_at as "createdAt" from drizzle.__drizzle_migrations order by created_at desc limit 1`;
    const known = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0;
    if (Number(last?.createdAt) > known) throw new NewerSchema(new Date(Number(last?.createdAt)));
  } finally {
    await connection.end({ timeout: 5 });
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
