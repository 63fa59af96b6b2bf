import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type { Database } from './connect.ts';

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Any number, as long as all replicas use the same. */
const lockId = 7_305_113;

/** Brings the database's tables up to date. Replicas that start at once wait for each other. */
export async function migrate({ connectAlone }: Pick<Database, 'connectAlone'>): Promise<void> {
  // An advisory lock ends with its connection, so lock and migrations share one that nobody else uses.
  const connection = connectAlone();
  try {
    await connection`select pg_advisory_lock(${lockId})`;
    await applyMigrations(drizzle(connection), { migrationsFolder });
  } finally {
    await connection.end({ timeout: 5 });
  }
}
