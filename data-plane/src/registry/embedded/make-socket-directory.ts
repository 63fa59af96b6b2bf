import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './choose-home.ts';

/** `sun_path` of unix(7) holds 108 bytes with the final NUL. */
const pathBytesMax = 107;

const shortPrefix = '/tmp/holdfast-pg-';

/** A directory of mode 0700 for the server's socket: in the home, or in /tmp if that path would be too long. */
export async function makeSocketDirectory(home: Home): Promise<{ path: string; remove(): Promise<void> }> {
  const inHome = join(home.path, 'socket');
  const fits = Buffer.byteLength(join(inHome, '.s.PGSQL.5432')) <= pathBytesMax;
  if (fits) await mkdir(inHome, { recursive: true, mode: 0o700 });
  const path = fits ? inHome : await mkdtemp(shortPrefix);
  if (home.runAs) await chown(path, home.runAs.uid, home.runAs.gid);
  return { path, remove: () => removeSocketDirectory(home, path) };
}

/** Removes only a directory that this module may have made: the path can come from a file that the server's user can write. */
export async function removeSocketDirectory(home: Home, path: string): Promise<void> {
  const made = path === join(home.path, 'socket') || (path.startsWith(shortPrefix) && !path.includes('/', 5));
  if (made) await rm(path, { recursive: true, force: true });
}
