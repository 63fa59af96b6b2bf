import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder with everything in it, also folders that code has closed with `chmod`. Succeeds if nothing is there. */
export async function removeTree(path: string): Promise<void> {
  const options = { recursive: true, force: true } as const;
  await rm(path, options).catch(async (error) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    await openFolders(path);
    await rm(path, options);
  });
}

/** Does not follow links: `isDirectory` of an entry is about the entry itself. */
async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
  }
}
