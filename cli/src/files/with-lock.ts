import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** The work under a lock takes milliseconds, so an older one is of a command that was killed. */
const abandonedMs = 10_000;

const pauseMs = 10;

/** Does the work while no other command does any under the same lock, which is a file. */
export async function withLock<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  while (!(await take(path))) await pause(pauseMs);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > abandonedMs) await rm(path, { force: true });
  return false;
}
