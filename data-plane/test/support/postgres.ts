import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connectDatabase, type Database, type DatabaseAddress } from '../../src/registry/connect.ts';

export type TestDatabase = {
  db: Database;
  address: DatabaseAddress;
  /** The same as a `DATABASE_URL`, for programs that a test starts. */
  url: string;
  /** Closes `db` and drops the database, even if others are still connected. */
  drop(): Promise<void>;
};

/** A migrated database of its own on the run's server; `template: 'template1'` gives an empty one. */
export async function createTestDatabase({ template = 'holdfast', poolMax = 4 } = {}): Promise<TestDatabase> {
  const { admin, address: owner } = inject('postgres');
  const database = `test_${randomBytes(8).toString('hex')}`;
  await once(`create database ${database} template ${template} owner ${owner.user}`);
  const address = { ...owner, database };
  const db = connectDatabase({ ...address, poolMax });
  const drop = async () => {
    await db.close();
    await once(`drop database if exists ${database} with (force)`);
  };
  const { host, user, password } = address;
  return { db, address, url: `postgres://${user}:${password}@localhost/${database}?host=${host}`, drop };

  async function once(statement: string) {
    const connection = connectDatabase({ ...admin, poolMax: 1 });
    await connection.sql.unsafe(statement).finally(connection.close);
  }
}
