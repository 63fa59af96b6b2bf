import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Home } from './choose-home.ts';
import { clusterPath } from './create-cluster.ts';
import { removeSocketDirectory } from './make-socket-directory.ts';
import { processStart } from './process-start.ts';

const waitMs = 10_000;

/**
 * Stops a server that a killed owner left behind, and removes the files of a server that was itself killed. Call this only while
 * holding the home's lock.
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
  // Postgres would take any process of its user with this pid for a living server.
  await rm(pidFile, { force: true });
  if (lines[4]) await removeSocketDirectory(home, lines[4]);
}

/** A fast shutdown. A shutdown that has begun continues. */
async function end(pid: number, home: Home): Promise<void> {
  process.kill(pid, 'SIGINT');
  for (const deadline = Date.now() + waitMs; await servesHome(pid, home); await delay(10)) {
    if (Date.now() > deadline) {
      throw new Error(`an earlier Postgres (process ${pid}) still uses ${home.path}: end it and start again`);
    }
  }
}

/** Whether the process is the server of this home and not a later process with the same pid. */
async function servesHome(pid: number, home: Home): Promise<boolean> {
  if ((await processStart(pid)) === null) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.split('\0').includes(clusterPath(home));
}
