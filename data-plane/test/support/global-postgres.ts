import { lstat, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectDatabase, type DatabaseAddress } from '../../src/registry/connect.ts';
import { processStart } from '../../src/registry/embedded/process-start.ts';
import { startEmbeddedPostgres } from '../../src/registry/embedded/start-embedded-postgres.ts';
import { migrate } from '../../src/registry/migrate.ts';
import { removeDataDir } from './remove-data-dir.ts';

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
  await removeLeftovers();
  const dataDir = await mkdtemp(join(tmpdir(), prefix));
  const server = await startEmbeddedPostgres({ dataDir, progress: () => {} });
  const password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8');
  const template = connectDatabase({ ...server.address, poolMax: 1 });
  await migrate(template);
  await template.close();
  provide('postgres', {
    address: server.address,
    admin: { ...server.address, user: 'postgres', database: 'postgres', password },
  });
  return async () => {
    await server.stop();
    await removeDataDir(dataDir);
  };
}

const prefix = 'holdfast-test-';

/** Removes the data directories of killed test runs. One that is still in use stays. */
async function removeLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  for (const dataDir of names.map((name) => join(tmpdir(), name))) {
    const owner = await readFile(join(dataDir, 'postgres', 'owner'), 'utf8').catch(() => null);
    const isOurs = (await lstat(dataDir).catch(() => null))?.uid === process.getuid?.();
    if (!owner || !isOurs || (await processStart(Number(owner.split(' ')[0]))) !== null) continue;
    await removeDataDir(dataDir).catch(() => {});
  }
}
