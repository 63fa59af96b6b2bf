import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type { Database } from './connect.ts';

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** An arbitrary number that all replicas share. */
const lockId = 7_305_113;

/** Brings the tables up to date. Replicas that start at the same time wait for each other. */
export async function migrate({ connectAlone }: Pick<Database, 'connectAlone'>): Promise<void> {
  // An advisory lock belongs to a connection, so the lock and the migrations share a separate one.
  const connection = connectAlone();
  try {
    await connection`select pg_advisory_lock(${lockId})`;
    await applyMigrations(drizzle(connection), { migrationsFolder });
  } finally {
    await connection.end({ timeout: 5 });
  }
}
