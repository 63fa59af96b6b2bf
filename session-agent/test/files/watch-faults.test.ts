import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { type WatchLine, watchLineSchema } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openWorkspace, type Workspace } from '../../src/files/paths/open-workspace.ts';
import { createDirectoryWatches, TooManyDirectories } from '../../src/files/watch/directory-watches.ts';
import { FileWatch } from '../../src/files/watch/file-watch.ts';

let root: string;
let workspace: Workspace;
const opened: FileWatch[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-watch-')));
  mkdirSync(join(root, 'd'));
  workspace = openWorkspace(root);
});
afterEach(() => {
  vi.useRealTimers();
  for (const watch of opened.splice(0)) watch.close();
  workspace.close();
  rmSync(root, { recursive: true });
});

const on = (path: string) => join(root, path);

/** A watch that has said that it is ready. The kernel fails with `error` for directories called `failing`. */
async function watchOf({ path = 'd', error }: { path?: string; error?: Error } = {}) {
  const watches = createDirectoryWatches();
  const add: typeof watches.add = (directory, listener) => {
    if (error && readlinkSync(`/proc/self/fd/${directory}`).endsWith('failing')) throw error;
    return watches.add(directory, listener);
  };
  const watch = new FileWatch({ workspace, watches: { add } }, { path, recursive: true });
  opened.push(watch);
  await watch.open();
  const batches = watch.batches();
  await batches.next();
  return batches;
}

const permission = new Problem('path-conflict', { detail: 'permission is denied' });

test('leaves out a directory that cannot be read, whether it was there before or not', async () => {
  mkdirSync(on('d/failing'));
  const batches = await watchOf({ error: permission });
  mkdirSync(on('d/new/failing'), { recursive: true });
  const told = [];
  while (told.length < 2) told.push(...(await batches.next()).value);
  writeFileSync(on('d/new/x'), '');
  told.push(...(await batches.next()).value);
  expect(told).toEqual([
    { type: 'created', path: 'd/new' },
    { type: 'created', path: 'd/new/failing' },
    { type: 'created', path: 'd/new/x' },
  ]);
});

test('ends once the machine allows no more watches', async () => {
  const error = new TooManyDirectories('no more watches');
  const batches = await watchOf({ error });
  mkdirSync(on('d/failing'));
  expect((await batches.next()).value).toEqual([{ type: 'ended', reason: 'too-many-directories' }]);
  await expect(watchOf({ error })).rejects.toMatchObject({ slug: 'quota-exceeded' });
});

test('ends if the directory is gone after more has happened than it keeps', async () => {
  const batches = await watchOf();
  for (let file = 0; file < 4200; file++) writeFileSync(on(`d/f${file}`), '');
  await setImmediate();
  rmSync(on('d'), { recursive: true });
  expect((await batches.next()).value).toEqual([{ type: 'ended', reason: 'deleted' }]);
});

test('tells no more of a large directory that is moved in than of as many changes', async () => {
  mkdirSync(on('large'));
  for (let file = 0; file < 4200; file++) writeFileSync(on(`large/f${file}`), '');
  const batches = await watchOf();
  renameSync(on('large'), on('d/large'));
  expect((await batches.next()).value.length).toBeLessThan(4150);
  expect((await batches.next()).value).toEqual([{ type: 'overflow' }]);
  writeFileSync(on('d/large/after'), '');
  expect((await batches.next()).value).toEqual([{ type: 'created', path: 'd/large/after' }]);
}, 30_000);

test('says nothing when only the mode of the directory changes', async () => {
  const batches = await watchOf();
  const next = batches.next();
  for (const mode of [0o700, 0o755]) chmodSync(on('d'), mode);
  await delay(200);
  writeFileSync(on('d/x'), '');
  expect((await next).value).toEqual([{ type: 'created', path: 'd/x' }]);
});

test('ends at the next change below it if a directory above it was moved, and tells no path that is wrong', async () => {
  mkdirSync(on('d/below'));
  const batches = await watchOf({ path: 'd/below' });
  renameSync(on('d'), on('moved'));
  writeFileSync(on('moved/below/x'), '');
  expect((await batches.next()).value).toEqual([{ type: 'ended', reason: 'deleted' }]);
});

test('ends without a change, too, if a directory above it was moved', async () => {
  mkdirSync(on('d/below'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const batches = await watchOf({ path: 'd/below' });
  const quiet = batches.next();
  await vi.advanceTimersByTimeAsync(15_000);
  expect((await quiet).value).toEqual([{ type: 'quiet' }]);
  const end = batches.next();
  renameSync(on('d'), on('moved'));
  await vi.advanceTimersByTimeAsync(15_000);
  expect((await end).value).toEqual([{ type: 'ended', reason: 'deleted' }]);
});

test('does not end if the directory above it is moved and comes back in time', async () => {
  mkdirSync(on('d/below'));
  const batches = await watchOf({ path: 'd/below' });
  renameSync(on('d'), on('moved'));
  renameSync(on('moved'), on('d'));
  writeFileSync(on('d/below/x'), '');
  expect((await batches.next()).value).toEqual([{ type: 'created', path: 'd/below/x' }]);
});

test.for([
  ['itself', 'kept', (path: string) => renameSync(path, on('kept'))],
  ['a link out of the root', '/etc', (path: string) => rmSync(path, { recursive: true })],
] as const)(
  'goes on only if the path, when a link takes its place, leads to the same directory: %s',
  async ([name, target, remove]) => {
    const batches = await watchOf();
    remove(on('d'));
    symlinkSync(target, on('d'));
    if (name === 'itself') writeFileSync(on('kept/x'), '');
    const { value } = await batches.next();
    expect(value).toEqual([
      name === 'itself' ? { type: 'created', path: 'd/x' } : { type: 'ended', reason: 'deleted' },
    ]);
  },
);

test('leaves out paths that are longer than a request may have', async () => {
  const batches = await watchOf();
  const script =
    'import os,sys\nos.chdir(sys.argv[1])\nfor n in range(40): os.mkdir("x" * 250); os.chdir("x" * 250)\nopen("y", "w")';
  execFileSync('python3', ['-I', '-S', '-c', script, on('d')]);
  writeFileSync(on('d/after'), '');
  const told: WatchLine[] = [];
  while (!told.some((line) => 'path' in line && line.path === 'd/after')) told.push(...(await batches.next()).value);
  for (const line of told) expect(watchLineSchema.safeParse(line).success).toBe(true);
  expect(told.length).toBe(17);
});

test('watches a link to a file itself, and not the file', async () => {
  writeFileSync(on('d/file'), '');
  symlinkSync('d/file', on('link'));
  const batches = await watchOf({ path: 'link' });
  writeFileSync(on('d/file'), 'changed');
  symlinkSync('d/other', on('new-link'));
  renameSync(on('new-link'), on('link'));
  expect((await batches.next()).value).toEqual([{ type: 'created', path: 'link' }]);
});
