import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './with-lock.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('one work is done at a time, also if one fails', async () => {
  let running = 0;
  const seen: number[] = [];
  const work = async () => {
    seen.push(++running);
    await turn();
    running--;
    if (seen.length === 3) throw new Error('failed');
  };
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => withLock(path, work)));
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(seen).toEqual(Array(8).fill(1));
});

test('the lock of a command that was killed is taken over', async () => {
  await writeFile(path, '');
  await utimes(path, 1, 1);
  expect(await withLock(path, async () => 'done')).toBe('done');
});
