import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../failures/failure.ts';

/** The version of Node for which the server is bundled. */
const nodeVersionMin = 24;

/**
 * The main program of the package `@holdfast/server`, if it is installed beside this one or in the current folder. Each build of it is copied once
 * for each place, to which its dependencies are linked, since Node takes no TypeScript from `node_modules`, and npm in a sandbox below it would take
 * the sandbox for a part of it.
 */
export async function installPackedServer(current: string, stateFolder: string): Promise<string | undefined> {
  const manifest = findManifest([import.meta.url, join(current, 'package.json')]);
  if (manifest === undefined) return undefined;
  const [node = 0] = process.versions.node.split('.').map(Number);
  if (node < nodeVersionMin) {
    throw new Failure(`the server needs Node ${nodeVersionMin}, and this is Node ${process.versions.node}`);
  }
  const { version, dependencies, optionalDependencies } = JSON.parse(await readFile(manifest, 'utf8'));
  const programs = join(dirname(manifest), 'dist');
  const links = linksTo(Object.keys({ ...dependencies, ...optionalDependencies }), manifest);
  const digest = await digestOf(programs, links);
  const target = join(stateFolder, `server-${basename(version)}-${digest}`);
  if (!(await stat(target).catch(() => null))) await copy({ programs, links, target });
  return join(target, 'data-plane/dist/main.mjs');
}

function findManifest(from: string[]): string | undefined {
  for (const place of from) {
    try {
      const manifest = createRequire(place).resolve('@holdfast/server/package.json');
      // A checkout has the package without its programs.
      if (existsSync(join(dirname(manifest), 'dist'))) return manifest;
    } catch {}
  }
  return undefined;
}

/** The folders of packages by their names. Package managers put them inside of the package that needs them, beside it, or above. */
function linksTo(names: string[], manifest: string): [name: string, folder: string][] {
  const { resolve } = createRequire(manifest);
  return names.flatMap((name) => {
    const folders = (resolve.paths(name) ?? []).map((modules) => join(modules, name));
    const found = folders.find((folder) => existsSync(folder));
    return found === undefined ? [] : [[name, found]];
  });
}

/** Tells two builds apart also if they have one version. */
async function digestOf(programs: string, links: [string, string][]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([programs, links]));
  for (const name of (await readdir(programs, { recursive: true })).toSorted()) {
    const path = join(programs, name);
    if ((await stat(path)).isFile()) hash.update(name).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 12);
}

type Copy = { programs: string; links: [string, string][]; target: string };

/** Renames the copy into place when it is complete. The Postgres that the server depends on stays in the folder of its package. */
async function copy({ programs, links, target }: Copy): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const draft = await mkdtemp(`${target}.`);
  try {
    await cp(programs, draft, { recursive: true });
    for (const [name, folder] of links) {
      const link = join(draft, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(folder, link);
    }
    await rename(draft, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
