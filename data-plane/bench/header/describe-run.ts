import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { connectDatabase } from '../../src/registry/connect.ts';
import { jupyterVersions } from '../peers/jupyter/jupyter-peers.ts';
import type { RunOptions } from '../run/options.ts';
import type { Stage } from '../stage/stage.ts';
import { checkGuarantees, type Guarantees } from './check-guarantees.ts';
import { describeMachine, loadNow, type Machine } from './describe-machine.ts';
import { measureFsync, type Spread } from './measure-fsync.ts';

const execute = promisify(execFile);

/** The first line of a file of samples. */
export type Header = {
  startedAt: string;
  machine: Machine;
  /** The load averages of 1, 5 and 15 minutes. */
  loadAtStart: number[];
  loadAtEnd: number[];
  versions: Record<string, string>;
  commit: string;
  /** Whether files differ from the commit. */
  isDirty: boolean;
  fsyncMs: Spread;
  guarantees: Guarantees;
  options: Pick<RunOptions, 'scenarios' | 'seed'> & RunOptions['plan'];
  /** The lines that the person was told, such as the peer that is missing. */
  notes: string[];
};

/** Describes a run before it measures anything. The guarantees are read from a running Holdfast, which is stopped with the scenario. */
export async function describeStart(
  stage: Stage,
  { scenarios, seed, plan }: RunOptions,
): Promise<Omit<Header, 'loadAtEnd' | 'notes'>> {
  const loadAtStart = loadNow();
  return {
    startedAt: new Date().toISOString(),
    machine: describeMachine(),
    loadAtStart,
    versions: await findVersions(stage),
    ...(await describeCommit()),
    fsyncMs: await measureFsync(stage.dataDir),
    guarantees: await checkGuarantees(stage),
    options: { scenarios, seed, ...plan },
  };
}

async function findVersions({ python, database }: Stage): Promise<Record<string, string>> {
  const db = connectDatabase({ ...(await database()).address, poolMax: 1 });
  const [server] = await db.sql<{ version: string }[]>`select current_setting('server_version') as version`;
  await db.close();
  const { stdout } = await execute(python, ['-c', 'import platform; print(platform.python_version())']);
  return {
    ...{ Node: process.versions.node, Python: stdout.trim(), Postgres: server?.version ?? 'unknown' },
    ...(await jupyterVersions()),
  };
}

async function describeCommit(): Promise<Pick<Header, 'commit' | 'isDirty'>> {
  const git = async (...args: string[]) => {
    const { stdout } = await execute('git', ['-C', import.meta.dirname, ...args]);
    return stdout.trim();
  };
  try {
    return { commit: await git('rev-parse', 'HEAD'), isDirty: (await git('status', '--porcelain')) !== '' };
  } catch {
    return { commit: 'unknown', isDirty: true };
  }
}
