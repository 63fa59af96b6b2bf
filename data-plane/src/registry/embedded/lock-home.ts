import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './choose-home.ts';
import { processStart } from './process-start.ts';

/**
 * Locks the home until the returned function is called or this process ends in any way.
 * @throws Error that names the process that has locked it.
 */
export async function lockHome(home: Pick<Home, 'path'>): Promise<() => Promise<void>> {
  const file = join(home.path, 'owner');
  const owner = await readFile(file, 'utf8').catch(() => '');
  const [pid = '', start] = owner.split(' ');
  if (start && (await processStart(Number(pid))) === start) {
    throw new Error(`the database in ${home.path} is in use by process ${pid}`);
  }
  await writeFile(file, `${process.pid} ${await processStart(process.pid)}`, { mode: 0o600 });
  return () => rm(file, { force: true });
}
