import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The directory of a cluster and the user that runs it; `runAs` is null for our own user. */
export type Home = {
  /** Owned by us: the server's user may enter the directory, but cannot replace its entries. */
  path: string;
  runAs: { uid: number; gid: number } | null;
};

/** The homes and binaries of servers that root starts. The server's user can reach this directory, and only root can write it. */
export const rootPlace = '/var/lib/holdfast';

/** The user `nobody`: Postgres requires a user in passwd, and this one owns nothing else. */
const nobody = { uid: 65534, gid: 65534 };

/** The home of the cluster for `dataDir`; creates it if there is none. */
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

/** The data directory has a link to the home, so a new data directory never finds the cluster of an old one. */
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

/** Other users can reach a path in it that they know, but cannot list it. */
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
  if (!stat) throw new Error(`${path}, which holds the database of this data directory, does not exist`);
  if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
    throw new Error(`${path} must be a directory that only root can write`);
  }
}
