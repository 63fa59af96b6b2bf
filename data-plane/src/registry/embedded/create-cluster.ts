import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './choose-home.ts';

import { logTail, spawnNative } from './spawn-native.ts';

/** The path of PGDATA in a home. */
export const clusterPath = (home: Pick<Home, 'path'>) => join(home.path, 'cluster');

/** The path of the file with the superuser's password, mode 0600. */
export const passwordPath = (home: Pick<Home, 'path'>) => join(home.path, 'password');

type Parts = { home: Home; binaries: string; signal?: AbortSignal | undefined };

/** Creates the cluster if there is none. It is renamed into place when complete, so a partial one is never used. */
export async function createCluster(
  { home, binaries, signal }: Parts,
  { progress }: { progress: (message: string) => void },
): Promise<void> {
  if (await stat(clusterPath(home)).catch(() => null)) return;
  progress('creating the database (once)');
  signal?.throwIfAborted();
  await removeDrafts(home);
  const draft = await mkdtemp(join(home.path, 'draft-'));
  await writeFile(passwordPath(home), randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (home.runAs) await changeOwner([draft, passwordPath(home)], home.runAs);
  await initdb({ home, binaries, signal }, draft);
  await rename(draft, clusterPath(home));
}

async function changeOwner(paths: string[], { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const path of paths) await chown(path, uid, gid);
}

async function removeDrafts(home: Home): Promise<void> {
  const drafts = (await readdir(home.path)).filter((name) => name.startsWith('draft-'));
  for (const name of drafts) await rm(join(home.path, name), { recursive: true, force: true });
}

async function initdb({ home, binaries, signal }: Parts, draft: string): Promise<void> {
  const logPath = join(home.path, 'initdb.log');
  const log = await open(logPath, 'w', 0o600);
  try {
    const args = ['-D', draft, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordPath(home)];
    args.push('-E', 'UTF8', '--locale=C', '--no-instructions');
    const stdio: ['ignore', number, number] = ['ignore', log.fd, log.fd];
    const child = await spawnNative({ home, binaries }, { program: 'initdb', args, deathSignal: 'KILL', stdio });
    const kill = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', kill, { once: true });
    const [code] = (child.exitCode ?? child.signalCode) ? [child.exitCode] : await once(child, 'exit');
    signal?.removeEventListener('abort', kill);
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(`initdb failed:\n${await logTail(logPath)}`);
  } finally {
    await log.close();
  }
}
