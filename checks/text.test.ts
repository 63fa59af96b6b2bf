import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { faultsOf, isProse, proseIn } from './plain-english.ts';

const root = join(import.meta.dirname, '..');

/**
 * Absolute folders of some machine, and any address from which a lockfile might say that packages came. `/home/user` is a place in sandboxes
 * that clients of other systems expect.
 */
const machineBound = [
  /(?<![\w.~/-])\/(?:home\/(?!user(?![\w-]))|Users\/|work\/)[\w-]/,
  /\btarball: *['"]?https?:/,
  /\/root\//,
];

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

test.each([
  'see /home/ada/notes',
  '/home/user2',
  '"/work/x"',
  '  resolution: {tarball: https://npm.example.com/a.tgz}',
])('the text %j is refused', (text) => {
  expect(faultsIn(text)).not.toEqual([]);
});

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

test('public text, test titles and comments are free of the forms that plain English rules out', async () => {
  const prose = (await textFiles()).filter(([path]) => isProse(path)).flatMap(([path, text]) => proseIn(path, text));
  const kinds = new Set(prose.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['comment', 'test title', 'public text']));
  expect(prose.length).toBeGreaterThan(3000);
  const odd = prose.map((one) => ({ ...one, faults: faultsOf(one) })).filter(({ faults }) => faults.length > 0);
  expect(odd.map(({ path, line, faults, text }) => `${path}:${line} ${faults.join(', ')}: ${text}`)).toEqual([]);
});

test.each([
  ['comment', 'Where the route is gone, it is looked up.'],
  ['comment', 'Retries once, where the pool is new.'],
  ['comment', 'Sends it to whoever waits.'],
  ['public text', 'What lies at the path is in the way'],
  ['public text', 'there is something that is no directory'],
  ['test title', 'what is no file is refused'],
  ['test title', 'of two replicas one goes on'],
] as const)('a %s like "%s" is found', (kind, text) => {
  expect(faultsOf({ kind, text })).not.toEqual([]);
});

test.each([
  ['comment', 'The folder where the server can read it.'],
  ['comment', 'The statement repeats its condition: `where status = $1`.'],
  ['comment', 'It is no longer running, and no other replica knows where to look.'],
  ['test title', 'rejects a path that is not a file'],
] as const)('a %s like "%s" is fine', (kind, text) => {
  expect(faultsOf({ kind, text })).toEqual([]);
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
