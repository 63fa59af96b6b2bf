import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectDatabase, type DatabaseAddress } from '../src/registry/connect.ts';
import { startEmbeddedPostgres } from '../src/registry/embedded/start-embedded-postgres.ts';
import { migrate } from '../src/registry/migrate.ts';

/** The server of a test run. `admin` may create databases; `address` is the role that owns them. */
export type TestServer = {
  admin: Extract<DatabaseAddress, { host: string }>;
  address: Extract<DatabaseAddress, { host: string }>;
};

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer;
  }
}

/** One Postgres for the whole run, whose database `holdfast` is migrated and serves as the template of all others. */
export default async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const server = await startEmbeddedPostgres({ dataDir, progress: () => {} });
  const home = await realpath(join(dataDir, 'postgres'));
  const password = await readFile(join(home, 'password'), 'utf8');
  const template = connectDatabase({ ...server.address, poolMax: 1 });
  await migrate(template);
  await template.close();
  provide('postgres', {
    address: server.address,
    admin: { ...server.address, user: 'postgres', database: 'postgres', password },
  });
  return async () => {
    await server.stop();
    console.log('GLOBAL REMOVE', home);
    await rm(home, { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  };
}
