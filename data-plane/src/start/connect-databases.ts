import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/parse-config.ts';
import { connectDatabase, type Database, type DatabaseAddress } from '../registry/connect.ts';
import { databaseRefusesUs, databaseUnavailable } from '../registry/database-error.ts';
import { startEmbeddedPostgres } from '../registry/embedded/start-embedded-postgres.ts';
import { migrate } from '../registry/migrate.ts';
import { ping } from '../registry/ping.ts';
import type { Queries } from '../registry/queries.ts';
import type { OnStop } from './on-stop.ts';
import { stopInTime } from './stop-in-time.ts';

type ConnectInput = { config: Config; progress: (message: string) => void; onStop: OnStop };

export type Databases = {
  db: Database;
  /** One connection that records history and does nothing else, so that its caches stay warm. */
  historyDb: Database;
  /** For the pieces of files. A transfer takes as long as it takes, and must not hold up other work. */
  piecesDb: Database;
  /** Resolves with the reason if the embedded Postgres ends. */
  ended: Promise<string>;
};

/**
 * Starts the embedded Postgres if no other is configured, connects, and brings the tables up to date.
 * @throws the database's error if it cannot be used, or cannot be reached within a minute
 */
export async function connectDatabases({ config, progress, onStop }: ConnectInput): Promise<Databases> {
  const { address, ended, stop } = await findPostgres(config, progress);
  onStop(stop);
  const open = (options: { poolMax: number; commit?: 'lazy' }) => {
    const database = connectDatabase({ ...address, ...options });
    onStop((force) => stopInTime(database.close, { force }));
    return database;
  };
  const db = open({ poolMax: 16 });
  const historyDb = open({ poolMax: 1 });
  const piecesDb = open({ poolMax: 4, commit: 'lazy' });
  // Installed together, the database may start after us. If this pod gave up at once, it would be restarted later and later.
  if (config.runtime !== 'process') await waitForDatabase(db);
  await migrate(db);
  // Connects now, so that the first step neither waits for a connection nor fails if names cannot be resolved just then.
  await ping(historyDb);
  return { db, historyDb, piecesDb, ended };
}

type Postgres = { address: DatabaseAddress; ended: Promise<string>; stop: () => Promise<unknown> };

async function findPostgres(config: Config, progress: (message: string) => void): Promise<Postgres> {
  if (!config.databaseUrl) return await startEmbeddedPostgres({ dataDir: config.dataDir, progress });
  return { address: { url: config.databaseUrl.reveal() }, ended: new Promise(() => {}), stop: async () => {} };
}

const waitMs = 60_000;
const pauseMs = 500;

/** Waits for a database that is still starting. A refusal of the login, which an operator has to repair, is thrown at once. */
async function waitForDatabase(db: Queries): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await ping(db);
    } catch (error) {
      if (databaseRefusesUs(error) || !databaseUnavailable(error) || Date.now() > deadline) throw error;
      await delay(pauseMs);
    }
  }
}
