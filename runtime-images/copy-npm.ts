import { cp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Parts of npm that only a person reads. */
const unread = /\/npm\/(docs|man)(\/|$)/;

/** Programs that code installs for itself go to the folder that the search path ends with, as an image cannot be written to. */
const settings = 'prefix=~/.local\nupdate-notifier=false\n';

/** Copies the npm that is installed beside the session-agent, with which code installs packages. It contains all that it needs. */
export async function copyNpm(into: string): Promise<void> {
  const { resolve } = createRequire(new URL('../session-agent/package.json', import.meta.url));
  const npm = dirname(resolve('npm/package.json'));
  await cp(npm, into, { recursive: true, dereference: true, filter: (path) => !unread.test(path) });
  await writeFile(join(into, 'npmrc'), settings);
}
