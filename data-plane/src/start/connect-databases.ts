import type { Config } from '../config/parse-config.ts';
import { connectDatabase, type Database, type DatabaseAddress } from '../registry/connect.ts';
import { startEmbeddedPostgres } from '../registry/embedded/start-embedded-postgres.ts';
import { identifyDatabase, migrate } from '../registry/migrate.ts';
import { ping } from '../registry/ping.ts';
import { migrationFault } from './database/migrate-database.ts';
import { waitForDatabase } from './database/wait-for-database.ts';
import type { OnStop } from './on-stop.ts';
import { stopInTime } from './stop-in-time.ts';

type ConnectInput = { config: Config; progress: (message: string) => void; onStop: OnStop };

export type Databases = {
  db: Database;
  /** One connection that records history and does nothing else, so that its caches stay warm. */
  historyDb: Database;
  /**
   * For heartbeats and probes only. Neither waits for other work, so a replica that is merely busy seems neither gone nor unable to serve.
   */
  heartbeatDb: Database;
  /** For the pieces of files. A transfer takes as long as it takes, and must not hold up other work. */
  piecesDb: Database;
  /** For answers that are read in pieces. Its statements may be cancelled and repeated. */
  readsDb: Database;
  /** The identity of the database, which sandboxes carry. */
  identity: string;
  /** Resolves with the reason if the embedded Postgres ends. */
  ended: Promise<string>;
};

/**
 * Starts the embedded Postgres if no other is configured, connects, and brings the tables up to date if the role may.
 * @throws ConfigError if a newer version has migrated the database, or none has and the role may not; the database's error if it cannot be used, or cannot be reached within a minute
 */
export async function connectDatabases({ config, progress, onStop }: ConnectInput): Promise<Databases> {
  const { address, ended, stop } = await findPostgres(config, progress);
  onStop(stop);
  const open = (options: { poolMax: number; commit?: 'lazy'; statementSeconds?: number }) => {
    const database = connectDatabase({ ...address, ...options });
    onStop((force) => stopInTime(database.close, { force }));
    return database;
  };
  const db = open({ poolMax: 16 });
  const historyDb = open({ poolMax: 1, statementSeconds: historySeconds });
  const heartbeatDb = open({ poolMax: 1, statementSeconds: heartbeatSeconds });
  const piecesDb = open({ poolMax: 4, commit: 'lazy' });
  const readsDb = open({ poolMax: 4 });
  // Installed together, the database may start after us. If this pod gave up at once, it would be restarted later and later.
  if (config.runtime !== 'process') await waitForDatabase(db);
  await migrate(db).catch((error) => {
    throw migrationFault(error) ?? error;
  });
  const identity = await identifyDatabase(db);
  // Connect now, so that the first step neither waits for a connection nor fails if names cannot be resolved just then.
  await Promise.all([ping(historyDb), ping(heartbeatDb)]);
  return { db, historyDb, heartbeatDb, piecesDb, readsDb, identity, ended };
}

/**
 * Far more than a batch takes. If the server's process for this connection hangs, no step begins until the connection is given up.
 */
const historySeconds = 10;

/** Less than a replica may be silent, so that a lost heartbeat is followed by another in time. */
const heartbeatSeconds = 3;

type Postgres = { address: DatabaseAddress; ended: Promise<string>; stop: () => Promise<unknown> };

async function findPostgres(config: Config, progress: (message: string) => void): Promise<Postgres> {
  if (!config.databaseUrl) return await startEmbeddedPostgres({ dataDir: config.dataDir, progress });
  return { address: { url: config.databaseUrl.reveal() }, ended: new Promise(() => {}), stop: async () => {} };
}
