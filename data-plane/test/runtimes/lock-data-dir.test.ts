import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataDir } from '../../src/runtimes/process/lock-data-dir.ts';
import { fixture } from '../support/process-runtime.ts';

let parentDir: string;
let dataDir: string;
const holders: ChildProcess[] = [];

beforeEach(async () => {
  parentDir = await mkdtemp(join(tmpdir(), 'holdfast-lock-'));
  dataDir = join(parentDir, 'data');
});
afterEach(async () => {
  for (const holder of holders.splice(0)) {
    if (holder.kill('SIGKILL')) await once(holder, 'exit');
  }
  await rm(parentDir, { recursive: true });
});

test('creates a data directory for its owner alone and locks it once, whichever path leads to it', async () => {
  const release = await lockDataDir(dataDir);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  await symlink(dataDir, join(parentDir, 'other-way'));
  await expect(lockDataDir(join(parentDir, 'other-way'))).rejects.toThrow(`in use by process ${process.pid}`);
  await release();
  await (await lockDataDir(dataDir))();
});

test('gives the lock to exactly one of many that ask at once', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)));
  const got = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(got).toHaveLength(1);
  await got[0]?.value();
});

test('the refusal names the process that holds the lock, and kill -9 of that process releases it', async () => {
  const holder = spawn(process.execPath, [fixture('hold-data-dir.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  holders.push(holder);
  await once(holder.stdout, 'data');
  await expect(lockDataDir(dataDir)).rejects.toThrow(`in use by process ${holder.pid}`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await (await lockDataDir(dataDir))();
});
