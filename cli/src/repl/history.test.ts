import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHistoryWriter, readHistory } from './history.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-history-'));
  vi.stubEnv('XDG_STATE_HOME', folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

test('two conversations at once keep the lines of both', async () => {
  const [one, other] = [createHistoryWriter(), createHistoryWriter()];
  for (let i = 0; i < 50; i++) {
    one(`one ${i}`);
    other(`other ${i}`);
  }
  await vi.waitFor(async () => expect(await readHistory()).toHaveLength(100), 10_000);
  const lines = await readHistory();
  expect(lines.filter((line) => line.startsWith('one '))).toEqual(
    Array.from({ length: 50 }, (_, i) => `one ${49 - i}`),
  );
});

test('a line that comes again is there once, at its latest place', async () => {
  const add = createHistoryWriter();
  for (const line of ['a', 'b', 'a']) add(line);
  await vi.waitFor(async () => expect(await readHistory()).toEqual(['a', 'b']), 10_000);
});

test('a long history is shortened to its latest lines', async () => {
  const file = join(folder, 'holdfast/repl-history');
  await mkdir(dirname(file));
  await writeFile(file, Array.from({ length: 2001 }, (_, i) => `${i}\n`).join(''));
  expect((await readHistory()).slice(0, 2)).toEqual(['2000', '1999']);
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(1001);
});
