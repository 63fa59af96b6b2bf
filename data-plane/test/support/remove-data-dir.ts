import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a data directory and its database cluster, which root keeps elsewhere. Both must be unused. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const home = await realpath(join(dataDir, 'postgres')).catch(() => null);
  for (const path of [home, dataDir]) if (path) await rm(path, { recursive: true, force: true });
}
