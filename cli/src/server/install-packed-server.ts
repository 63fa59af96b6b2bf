import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../failures/failure.ts';

/** The version of Node for which the server is bundled. */
const nodeVersionMin = 24;

/**
 * The main program of the package `@holdfast/server`, if it is installed beside this one or in the current folder. It is copied once for each
 * version and place, to which its dependencies are linked, since Node takes no TypeScript from `node_modules`, and npm in a sandbox below it would take the sandbox for a part of it.
 */
export async function installPackedServer(current: string, stateFolder: string): Promise<string | undefined> {
  const manifest = findManifest([import.meta.url, join(current, 'package.json')]);
  if (manifest === undefined) return undefined;
  const [node = 0] = process.versions.node.split('.').map(Number);
  if (node < nodeVersionMin) {
    throw new Failure(`the server needs Node ${nodeVersionMin}, and this is Node ${process.versions.node}`);
  }
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const source = dirname(manifest);
  const target = join(stateFolder, `server-${basename(version)}-${digestOf(source)}`);
  if (!(await stat(target).catch(() => null))) await copy(source, target);
  return join(target, 'data-plane/dist/main.mjs');
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

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

/** Renames the copy into place when it is complete. The Postgres that the server depends on stays in the folder of its package. */
async function copy(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const draft = await mkdtemp(`${target}.`);
  try {
    await cp(join(source, 'dist'), draft, { recursive: true });
    await symlink(nodeModulesOf(source), join(draft, 'node_modules'));
    await rename(draft, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The folder that has the package and those it depends on. */
const nodeModulesOf = (source: string) => dirname(dirname(source));
