import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { removeDataDir } from './remove-data-dir.ts';
import { type Holdfast, nothingRunsIn, startHoldfast, temporaryDataDir } from './start-holdfast.ts';

/** A database and a data directory of a test's own, for the programs that it starts. */
export type Installation = AsyncDisposable & {
  database: TestDatabase;
  dataDir: string;
  /** Starts the program on them; `env` adds to a development configuration. */
  start(env?: Record<string, string>): Promise<Holdfast>;
};

/** `under`: the folder for the data directory. Disposing stops every program that was started, waits until nothing of them runs, and removes both. */
export async function createInstallation({ under }: { under?: string } = {}): Promise<Installation> {
  const database = await createTestDatabase();
  const dataDir = await temporaryDataDir(under);
  const started: Holdfast[] = [];
  return {
    database,
    dataDir: dataDir.path,
    async start(env = {}) {
      const holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path, DATABASE_URL: database.url, ...env });
      started.push(holdfast);
      return holdfast;
    },
    async [Symbol.asyncDispose]() {
      for (const holdfast of started) await holdfast.stop();
      await nothingRunsIn(dataDir.path);
      await removeDataDir(dataDir.path);
      await database.drop();
    },
  };
}
