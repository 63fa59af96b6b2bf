import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connectDatabase, type Database, type DatabaseAddress } from '../../src/registry/connect.ts';
import type { TestServer } from './global-setup.ts';

export type TestDatabase = {
  /** For the role of the data-plane, which owns nothing. */
  db: Database;
  /** For the role that owns the tables. */
  owner: Database;
  address: DatabaseAddress;
  /** The same as a `DATABASE_URL`, for programs that a test starts. */
  url: string;
  ownerUrl: string;
  /** Closes both handles and drops the database, even if others are still connected. */
  drop(): Promise<void>;
};

/**
 * A migrated database of its own on the run's server. `template: 'template1'` gives an empty one, in which everything is done by its owner,
 * because only the migration gives rights to another role.
 */
export async function createTestDatabase({ template = 'holdfast', poolMax = 4 } = {}): Promise<TestDatabase> {
  const { admin, owner, program } = inject('postgres');
  const database = `test_${randomBytes(8).toString('hex')}`;
  await once(`create database ${database} template ${template} owner ${owner.user}`);
  const ownerAddress = { ...owner, database };
  const address = template === 'holdfast' ? { ...program, database } : ownerAddress;
  const handles = {
    db: connectDatabase({ ...address, poolMax }),
    owner: connectDatabase({ ...ownerAddress, poolMax: 2 }),
  };
  const drop = async () => {
    await Promise.all([handles.db.close(), handles.owner.close()]);
    await once(`drop database if exists ${database} with (force)`);
  };
  return { ...handles, address, url: urlOf(address), ownerUrl: urlOf(ownerAddress), drop };

  async function once(statement: string) {
    const connection = connectDatabase({ ...admin, poolMax: 1 });
    await connection.sql.unsafe(statement).finally(connection.close);
  }
}

const urlOf = ({ host, user, password, database }: TestServer['owner']) =>
  `postgres://${user}:${password}@localhost/${database}?host=${host}`;
