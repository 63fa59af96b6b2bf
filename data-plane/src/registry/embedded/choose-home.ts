import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where a cluster lives and which user it runs as; `runAs` is null where that is our own. */
export type Home = {
  /** Ours: the server's user may enter it, but cannot replace what is in it. */
  path: string;
  runAs: { uid: number; gid: number } | null;
};

/** Homes and binaries of servers that root starts: a place that the server's user can reach and only root can write. */
export const rootPlace = '/var/lib/holdfast';

/** `nobody`: Postgres wants a user that passwd knows, and this one owns nothing else. */
const nobody = { uid: 65534, gid: 65534 };

/** The home of `dataDir`'s cluster, made where there is none. */
export async function chooseHome({ dataDir }: { dataDir: string }): Promise<Home> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const inDataDir = join(dataDir, 'postgres');
  if (process.getuid?.() !== 0) {
    await mkdir(inDataDir, { recursive: true, mode: 0o700 });
    return { path: inDataDir, runAs: null };
  }
  const home = { path: (await linkedHome(inDataDir)) ?? (await makeRootHome(inDataDir)), runAs: nobody };
  await requireOwnedByRoot(home.path);
  return home;
}

/** A link leads from the data directory to the home, so that a new data directory never finds an old one's cluster. */
async function linkedHome(link: string): Promise<string | null> {
  const target = await readlink(link).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    if (error.code === 'EINVAL') throw new Error(`${link} was made by an ordinary user: run Holdfast as that user`);
    throw error;
  });
  if (target && dirname(target) !== rootPlace) throw new Error(`${link} leads to ${target}, which is not ours`);
  return target;
}

async function makeRootHome(link: string): Promise<string> {
  await makeRootPlace();
  const path = join(rootPlace, randomBytes(12).toString('hex'));
  await mkdir(path);
  await chown(path, 0, nobody.gid);
  await chmod(path, 0o710);
  await symlink(path, link);
  return path;
}

/** Others may pass through to a path that they know, but not look around. */
export async function makeRootPlace(): Promise<void> {
  await mkdir(rootPlace, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') {
      throw new Error(`the embedded Postgres needs ${rootPlace}: set DATABASE_URL instead`, { cause: error });
    }
  });
  await requireOwnedByRoot(rootPlace);
  await chmod(rootPlace, 0o711);
}

async function requireOwnedByRoot(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (!stat) throw new Error(`${path}, which holds the database of this data directory, is gone`);
  if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
    throw new Error(`${path} must be a directory that only root can write`);
  }
}
