import type { DatabaseAddress } from '../connect.ts';
import { chooseHome } from './choose-home.ts';
import { createCluster } from './create-cluster.ts';
import { findBinaries } from './find-binaries.ts';
import { lockHome } from './lock-home.ts';
import { makeSocketDirectory } from './make-socket-directory.ts';
import { prepareDatabase } from './prepare-database.ts';
import { startPostgres } from './start-postgres.ts';
import { stopEarlierPostgres } from './stop-earlier-postgres.ts';

export type EmbeddedPostgres = {
  /** For a role that owns its database and nothing else. */
  address: Extract<DatabaseAddress, { host: string }>;
  /** Resolves with a sentence about the end when Postgres has ended, whether stopped or not. */
  ended: Promise<string>;
  /** A fast shutdown: rolls open transactions back and leaves the files clean. May be called again. */
  stop(): Promise<void>;
};

type EmbeddedPostgresInput = {
  /** Absolute. For root it contains only a link to the cluster, because Postgres refuses to run as root. */
  dataDir: string;
  /** Receives short sentences for a waiting person. */
  progress: (message: string) => void;
  signal?: AbortSignal;
  /** Memory for pages of tables, as Postgres writes it. */
  sharedBuffers?: string;
  /** How many connections it takes. */
  connectionsMax?: number;
};

/**
 * Runs a Postgres for one data directory, reachable only through a Unix socket.
 * @throws Error with a text for the operator: missing binaries, a directory in use, or the end of the log of Postgres.
 */
export async function startEmbeddedPostgres(input: EmbeddedPostgresInput): Promise<EmbeddedPostgres> {
  const { dataDir, progress, signal, sharedBuffers = '64MB', connectionsMax = 100 } = input;
  const home = await chooseHome({ dataDir });
  const unlock = await lockHome(home);
  const undo: (() => Promise<void>)[] = [unlock];
  try {
    await stopEarlierPostgres(home, { progress });
    const binaries = await findBinaries(home, { progress });
    await createCluster({ home, binaries, signal }, { progress });
    signal?.throwIfAborted();
    const socket = await makeSocketDirectory(home);
    undo.unshift(socket.remove);
    progress('starting Postgres');
    const settings = { socketDirectory: socket.path, sharedBuffers, connectionsMax };
    const process = await startPostgres({ home, binaries }, settings);
    undo.unshift(process.stop);
    const address = await prepareDatabase(process, { socketDirectory: socket.path, home, signal });
    return { address, ended: process.ended, stop: () => undoAll(undo) };
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

async function undoAll(undo: (() => Promise<void>)[]): Promise<void> {
  for (const step of undo) await step();
}
