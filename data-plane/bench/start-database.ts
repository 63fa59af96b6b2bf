import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/registry/embedded/start-embedded-postgres.ts';

/** Starts a Postgres for this benchmark alone, with fsync as in real use. `stop` removes it. */
export async function startDatabase(dataDir: string) {
  const { address, stop } = await startEmbeddedPostgres({ dataDir, progress: () => {} });
  const { host, user, password, database } = address;
  return {
    address,
    url: `postgres://${user}:${password}@localhost/${database}?host=${host}`,
    stop: async () => {
      await stop();
      const home = await realpath(join(dataDir, 'postgres')).catch(() => dataDir);
      await rm(home, { recursive: true, force: true });
    },
  };
}
