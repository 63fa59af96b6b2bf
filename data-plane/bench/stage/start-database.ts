import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDatabase } from '../../src/registry/connect.ts';
import { startEmbeddedPostgres } from '../../src/registry/embedded/start-embedded-postgres.ts';

export type BenchDatabase = Awaited<ReturnType<typeof startDatabase>>;

/**
 * Starts a Postgres for this run alone, with fsync as in real use. `stop` removes it.
 * @param sharedBuffers by default what `npm start` gives it
 */
export async function startDatabase(dataDir: string, { sharedBuffers }: { sharedBuffers?: string } = {}) {
  const settings = sharedBuffers === undefined ? {} : { sharedBuffers };
  const { address, stop } = await startEmbeddedPostgres({ dataDir, progress: () => {}, ...settings });
  const { host, port, user, password, database } = address;
  const home = await realpath(join(dataDir, 'postgres'));
  const urlOf = (name: string) => `postgres://${user}:${password}@localhost/${name}?host=${host}`;
  /** For the role that may create databases. */
  const admin = {
    ...address,
    user: 'postgres',
    database: 'postgres',
    password: await readFile(join(home, 'password'), 'utf8'),
  };
  return {
    address,
    url: urlOf(database),
    admin,
    /** Creates an empty database, for a Holdfast whose sessions no other one is to see. Returns its URL. */
    async create(name: string): Promise<string> {
      const server = connectDatabase({ ...admin, poolMax: 1 });
      await server.sql`create database ${server.sql(name)} owner ${server.sql(user)}`;
      await server.close();
      return urlOf(name);
    },
    /** The pid of its main process, which writes it in the first line of this file. */
    postmaster: Number((await readFile(join(host, `.s.PGSQL.${port}.lock`), 'utf8')).split('\n')[0]),
    stop: async () => {
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
