import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Header, pack } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unpackFolder } from './unpack-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-unpack-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function archiveOf(entries: (Pick<Header, 'name'> & Partial<Header>)[]): ReadableStream<Uint8Array> {
  const archive = pack();
  for (const entry of entries) archive.entry(entry, entry.type === undefined ? 'text' : '');
  archive.finalize();
  return Readable.toWeb(Readable.from(archive, { objectMode: false })) as ReadableStream<Uint8Array>;
}

const ignore = () => {};

test('writes files and folders, and tells of links that it leaves out', async () => {
  const entries: (Pick<Header, 'name'> & Partial<Header>)[] = [
    { name: 'a/b.txt' },
    { name: 'back\\slash' },
    { name: './empty/', type: 'directory' },
    { name: 'link', type: 'symlink', linkname: '/etc/passwd' },
  ];
  const left: string[] = [];
  expect(await unpackFolder(archiveOf(entries), join(folder, 'to'), (name) => void left.push(name))).toBe(2);
  expect(left).toEqual(['link']);
  expect((await readdir(join(folder, 'to'))).toSorted()).toEqual(['a', 'back\\slash', 'empty']);
  expect(await readFile(join(folder, 'to/a/b.txt'), 'utf8')).toBe('text');
});

test('tells what the sandbox has left out, and how much of it is lost', async () => {
  const comment = 'holdfast-left-out names=2 unreadable=1 others=3';
  const entries = [{ name: 'a' }, { name: './', type: 'directory' as const, pax: { comment } }];
  const told: [string, number?][] = [];
  await unpackFolder(archiveOf(entries), join(folder, 'to'), (...left) => void told.push(left));
  expect(told).toEqual([['2 whose names are not UTF-8', 2], ['1 that cannot be read', 1], ['3 links or devices']]);
});

test.each(['link', 'link/out.txt'])('writes nothing through a link that was there before: %s', async (name) => {
  const to = join(folder, 'to');
  await mkdir(to);
  await symlink(join(folder, 'out'), join(to, 'link'));
  if (name.includes('/')) await mkdir(join(folder, 'out'));
  const before = await readdir(folder, { recursive: true });
  await expect(unpackFolder(archiveOf([{ name }]), to, ignore)).rejects.toThrow('is a link');
  expect(await readdir(folder, { recursive: true })).toEqual(before);
});

test.each(['../out.txt', '/out.txt', 'a/../../out.txt'])('rejects the name %s', async (name) => {
  await expect(unpackFolder(archiveOf([{ name }]), join(folder, 'to'), ignore)).rejects.toThrow('leads out');
  expect(await readdir(folder)).toEqual(['to']);
});
