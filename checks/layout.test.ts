import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Folders with one operation per file are split by table and may be long. */
const isOneOperationPerFile = (folder: string) => folder.startsWith('data-plane/src/registry/');

async function sources(): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob(
    '{specs,connections,data-plane,session-agent,clients/*,cli}/src/**/*.{ts,js,py,rb,bash}',
    {
      cwd: root,
    },
  ))
    paths.push(path);
  return paths.filter((path) => !/__pycache__|\/generated\//.test(path)).toSorted();
}

test('no folder has more than 30 files', async () => {
  const sizes = new Map<string, number>();
  for await (const path of glob('{specs,connections,data-plane,session-agent,clients/*,cli}/{src,test}/**/*.*', {
    cwd: root,
  })) {
    if (!path.includes('__pycache__')) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  }
  const large = [...sizes].filter(([folder, size]) => size > 30 && !isOneOperationPerFile(folder));
  expect(sizes.size).toBeGreaterThan(20);
  expect(large).toEqual([]);
});

test('most files are neither crumbs nor walls: the median has 40 to 80 lines, and 90 % have fewer than 130', async () => {
  const paths = (await sources()).filter((path) => !path.endsWith('.test.ts'));
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
  const lengths = texts
    .filter((text) => text !== '')
    .map((text) => text.split('\n').length - 1)
    .toSorted((a, b) => a - b);
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
  expect(median).toBeGreaterThanOrEqual(40);
  expect(median).toBeLessThanOrEqual(80);
  expect(lengths.filter((lines) => lines < 130).length / lengths.length).toBeGreaterThan(0.9);
});
