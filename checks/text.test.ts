import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Absolute folders of some machine, and any address from which a lockfile might say that packages came. */
const machineBound = [/(?<![\w.~/-])\/(?:home|Users|work)\/[\w-]/, /\btarball: *['"]?https?:/, /\/root\//];

/** Draws the shapes of a step on its way down and up, which takes more lines than a folder's README may have. */
const drawing = 'data-plane/src/steps/README.md';

const faultsIn = (text: string) => machineBound.filter((pattern) => pattern.test(text)).map(String);

test('no file names a folder of a machine or the host of a registry', async () => {
  const faults = [];
  for (const [path, text] of await textFiles()) {
    if (!path.startsWith('checks/')) faults.push(...faultsIn(text).map((fault) => `${path} matches ${fault}`));
  }
  expect(faults).toEqual([]);
});

test.each(['see /home/ada/notes', '"/work/x"', '  resolution: {tarball: https://npm.example.com/a.tgz}'])(
  'the text %j is refused',
  (text) => {
    expect(faultsIn(text)).not.toEqual([]);
  },
);

test('a folder says what is in it within fifteen lines', async () => {
  const readmes = (await textFiles()).filter(
    ([path]) => /\/src\/.*README\.md$/.test(path) && !path.includes('/languages/') && path !== drawing,
  );
  const long = readmes.filter(([, text]) => text.trimEnd().split('\n').length > 15).map(([path]) => path);
  expect(readmes.length).toBeGreaterThan(0);
  expect(long).toEqual([]);
});

test('the drawing of the shapes of a step fits on a page of sixty lines', async () => {
  const [, text] = (await textFiles()).find(([path]) => path === drawing) ?? [];
  expect(text?.split('\n').length).toBeLessThanOrEqual(60);
});

/** Path and text of what git tracks or would track. */
async function textFiles(): Promise<[path: string, text: string][]> {
  const options = { cwd: root, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    options,
  );
  const paths = stdout.split('\0').filter((path) => path !== '');
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8').catch(() => '')));
  return paths.map((path, i) => [path, texts[i] ?? '']);
}
