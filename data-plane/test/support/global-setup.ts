import { lstat, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundlePrograms } from '../../../runtime-images/test/support/bundle-programs.ts';
import { programsVariable } from '../../../runtime-images/test/support/program-path.ts';
import { pythonWithIPython } from '../../../session-agent/test/support/python-with-ipython.ts';
import { connectDatabase, type DatabaseAddress } from '../../src/registry/connect.ts';
import { processStart } from '../../src/registry/embedded/process-start.ts';
import { startEmbeddedPostgres } from '../../src/registry/embedded/start-embedded-postgres.ts';
import { migrate } from '../../src/registry/migrate.ts';
import { findPython } from '../../src/runtimes/process/find-python.ts';
import { removeDataDir } from './remove-data-dir.ts';

type Address = Extract<DatabaseAddress, { host: string }>;

/** The server of a test run. `admin` may create databases, `owner` owns them, and `program` has the rights of the data-plane in them. */
export type TestServer = Record<'admin' | 'owner' | 'program', Address>;

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer;
  }
}

/**
 * One Postgres for the whole run, whose database `holdfast` is migrated and serves as the template of all others, the bundled programs, and as
 * `python3` an interpreter with IPython, so that a test finds the same packages on every machine.
 * A run that watches the sources has no bundles, because the programs would stay as they were when it began.
 */
export default async function setup({ provide, config }: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const dataDir = await mkdtemp(join(tmpdir(), prefix));
  const programs = join(dataDir, 'programs');
  const [server] = await Promise.all([
    // Several files at once, each with up to four replicas that have ten connections and more.
    startEmbeddedPostgres({ dataDir, connectionsMax: 400, progress: () => {} }),
    config.watch || bundlePrograms(programs),
    usePythonWithIPython(),
  ]);
  if (!config.watch) process.env[programsVariable] = programs;
  const password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8');
  const owner = server.address;
  const admin = { ...owner, user: 'postgres', database: 'postgres', password };
  const program = { ...owner, user: 'holdfast_data_plane', password: 'secret' };
  await prepareTemplate({ admin, owner, program });
  provide('postgres', { admin, owner, program });
  return async () => {
    await server.stop();
    await removeDataDir(dataDir);
  };
}

/** Puts the interpreter first in the path of the tests, and names it to them. One that the environment names stays as it is. */
async function usePythonWithIPython(): Promise<void> {
  const { PATH: path = '', HOME: home = '', HOLDFAST_TEST_PYTHON: named } = process.env;
  if (named !== undefined) return;
  try {
    const found = await findPython({ wanted: null, path, home });
    if (found.python === null) throw new Error(found.fault);
    const python = pythonWithIPython(found.python);
    process.env.PATH = `${dirname(python)}${delimiter}${path}`;
    process.env.HOLDFAST_TEST_PYTHON = python;
  } catch (error) {
    console.error(`The tests that need IPython will fail: ${error instanceof Error ? error.message : error}`);
  }
}

async function prepareTemplate({ admin, owner, program: { user, password } }: TestServer): Promise<void> {
  const server = connectDatabase({ ...admin, poolMax: 1 });
  await server.sql.unsafe(`create role ${user} login password '${password}'`).finally(server.close);
  const template = connectDatabase({ ...owner, poolMax: 1 });
  await migrate(template, { program: { name: user, password } }).finally(template.close);
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
