import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** Releases the data directory. Any end of the process does so too. */
export type ReleaseDataDir = () => Promise<void>;

/**
 * Locks the data directory for this process alone, and creates it if it is missing. The lock is an abstract Unix socket (unix(7)), which the
 * system closes with the process, so a lock is never stale.
 * @throws Error that names the process which holds the lock
 */
export async function lockDataDir(dataDir: string): Promise<ReleaseDataDir> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const holderPath = join(dataDir, 'data-plane.pid');
  const server = await listen(await lockName(dataDir)).catch(async (error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    const holder = await readFile(holderPath, 'utf8').catch(() => 'unknown');
    throw new Error(`the data directory ${dataDir} is in use by process ${holder.trim()}`);
  });
  await writeFile(holderPath, `${process.pid}\n`);
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Derived from the directory itself, not from the path that leads to it. */
async function lockName(dataDir: string): Promise<string> {
  const { dev, ino } = await stat(dataDir, { bigint: true });
  return `\0holdfast-${createHash('sha256').update(`${dev}:${ino}`).digest('hex')}`;
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ path, exclusive: true }, () => resolve(server));
  });
}
