import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Home } from './choose-home.ts';
import { clusterPath } from './create-cluster.ts';
import { removeSocketDirectory } from './make-socket-directory.ts';
import { processStart } from './process-start.ts';

const waitMs = 10_000;

/**
 * Waits for a server that an owner left behind when it was killed, and removes what it left where it was killed as well.
 * Call only as the home's owner.
 */
export async function stopEarlierPostgres(
  home: Home,
  { progress }: { progress: (message: string) => void },
): Promise<void> {
  const pidFile = join(clusterPath(home), 'postmaster.pid');
  const lines = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0)) return;
  if (await servesHome(pid, home)) {
    progress(`waiting for an earlier Postgres (process ${pid}) to end`);
    await end(pid, home);
  }
  // Postgres takes any process of its user with this pid for a living server, also an unrelated one.
  await rm(pidFile, { force: true });
  if (lines[4]) await removeSocketDirectory(home, lines[4]);
}

/** A fast shutdown; one that is under way already goes on. */
async function end(pid: number, home: Home): Promise<void> {
  process.kill(pid, 'SIGINT');
  for (const deadline = Date.now() + waitMs; await servesHome(pid, home); await delay(10)) {
    if (Date.now() > deadline) {
      throw new Error(`an earlier Postgres (process ${pid}) still runs on ${home.path}: end it and start again`);
    }
  }
}

/** Whether that process is the server of this home and not a later one with the same pid. */
async function servesHome(pid: number, home: Home): Promise<boolean> {
  if ((await processStart(pid)) === null) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.split('\0').includes(clusterPath(home));
}
