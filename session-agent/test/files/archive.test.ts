import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hostileArchives } from '../../../specs/test/hostile-archives.ts';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';
import { until } from '../support/until.ts';

let agent: FilesClient;
beforeAll(async () => {
  agent = await startWithFiles({ HOLDFAST_ARCHIVE_BYTES_MAX: '20000000' });
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
});

let folder = 0;
let name: string;
let onDisk: (path: string) => string;
beforeEach(() => {
  name = `t${++folder}`;
  onDisk = (path) => join(agent.workspace, name, path);
  mkdirSync(onDisk(''));
  return () => until('all descriptors to be closed', () => agent.openDescriptors() === 1);
});

const unpack = (format: string, bytes: Buffer | AsyncIterable<Uint8Array>, path = name) =>
  agent.ask('PUT', 'archive', { path, format }, bytes);

async function pack(format: string, path = name): Promise<Buffer> {
  const response = await agent.send('GET', 'archive', { path, format });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

test.for(['tar', 'zip'])('downloads a directory as a %s and uploads it again unchanged', async (format) => {
  const long = `${'directory-with-a-long-name/'.repeat(6)}${'n'.repeat(200)}.txt`;
  const contents = new Map([
    ['a.txt', 'a'],
    ['é/ü.txt', 'ü'],
    [long, 'long'],
    ['empty', ''],
    ['large', 'x'.repeat(3_000_000)],
  ]);
  for (const [path, content] of contents) {
    mkdirSync(join(onDisk(path), '..'), { recursive: true });
    writeFileSync(onDisk(path), content);
  }
  writeFileSync(onDisk('run.sh'), '#!/bin/sh\n');
  chmodSync(onDisk('run.sh'), 0o755);
  mkdirSync(onDisk('empty-directory'));
  symlinkSync('/etc/passwd', onDisk('link'));
  execFileSync('mkfifo', [onDisk('fifo')]);

  const answer = await unpack(format, await pack(format), `${name}-back`);
  expect([answer.status, answer.json().files]).toEqual([200, contents.size + 1]);
  expect(answer.json().directories).toContain(`${name}-back/empty-directory`);
  const executable = (path: string) =>
    answer.json().changes.find((change: { path: string }) => change.path === `${name}-back/${path}`).executable;
  expect([executable('run.sh'), executable('a.txt')]).toEqual([true, false]);
  const back = (path: string) => join(agent.workspace, `${name}-back`, path);
  for (const [path, content] of contents) expect(readFileSync(back(path), 'utf8')).toBe(content);
  expect(statSync(back('run.sh')).mode & 0o111).toBe(0o111);
  expect(readdirSync(back('')).toSorted()).toEqual(
    readdirSync(onDisk(''))
      .filter((path) => path !== 'link' && path !== 'fifo')
      .toSorted(),
  );
});

test.for(['tar', 'zip'])('packs a %s that other programs can read', async (format) => {
  mkdirSync(onDisk('d'));
  writeFileSync(onDisk('d/x.txt'), 'content');
  const bytes = await pack(format);
  const listed = execFileSync('python3', ['-I', '-c', listProgram, format], { input: bytes })
    .toString()
    .trim()
    .split('\n');
  expect(listed.toSorted()).toEqual(['d/', 'd/x.txt content']);
});

test.for(hostileArchives())('rejects $name in a $format, and leaves nothing of it', async ({ format, bytes }) => {
  writeFileSync(onDisk('good'), 'old');
  const answer = await unpack(format, bytes);
  expect(['archive-refused', 'body-too-large']).toContain(answer.code);
  expect(readdirSync(onDisk(''))).toEqual(['good']);
  expect(readFileSync(onDisk('good'), 'utf8')).toBe('old');
});

test('changes no file if the last file of an archive cannot be placed', async () => {
  writeFileSync(onDisk('a'), 'new');
  writeFileSync(onDisk('b'), 'new');
  const bytes = await pack('tar');
  writeFileSync(onDisk('a'), 'old');
  execFileSync('rm', [onDisk('b')]);
  mkdirSync(onDisk('b'));
  expect((await unpack('tar', bytes)).code).toBe('path-conflict');
  expect(readFileSync(onDisk('a'), 'utf8')).toBe('old');
  expect(readdirSync(onDisk('')).toSorted()).toEqual(['a', 'b']);
});

test('does not unpack an archive through a link that leads outside', async () => {
  mkdirSync(onDisk('from/out'), { recursive: true });
  writeFileSync(onDisk('from/out/x'), 'x');
  const bytes = await pack('tar', `${name}/from`);
  mkdirSync(onDisk('to'));
  symlinkSync('/tmp', onDisk('to/out'));
  expect((await unpack('tar', bytes, `${name}/to`)).code).toBe('outside-workspace');
  expect(readdirSync(onDisk('to'))).toEqual(['out']);
});

test.for(['tar', 'zip'])('rejects a %s that unpacks to more than the limit', async (format) => {
  for (const file of ['a', 'b', 'c']) writeFileSync(onDisk(file), Buffer.alloc(7_000_000));
  const bytes = await pack(format);
  const answer = await unpack(format, bytes, `${name}-back`);
  expect(answer.code).toBe('body-too-large');
  expect(readdirSync(agent.workspace)).not.toContain(`${name}-back`);
});

test('leaves nothing open if the reader of an archive disconnects', async () => {
  writeFileSync(onDisk('large'), Buffer.alloc(50_000_000, 'x'));
  for (const format of ['tar', 'zip']) {
    const response = await agent.send('GET', 'archive', { path: name, format });
    await response.body?.cancel();
  }
  await until('all descriptors to be closed', () => agent.openDescriptors() === 1);
});

const listProgram = `
import io, sys, tarfile, zipfile
data = io.BytesIO(sys.stdin.buffer.read())
if sys.argv[1] == "tar":
    archive = tarfile.open(fileobj=data)
    for member in archive:
        print(member.name + "/" if member.isdir() else member.name + " " + archive.extractfile(member).read().decode())
else:
    archive = zipfile.ZipFile(data)
    for member in archive.infolist():
        print(member.filename if member.is_dir() else member.filename + " " + archive.read(member).decode())
`;

test('the end of a tar counts the names that are not UTF-8, and the links, that it leaves out', async () => {
  writeFileSync(onDisk('kept'), 'x');
  const comments = async () => (await pack('tar')).toString('latin1').match(/comment=(.*)/)?.[1];
  expect(await comments()).toBeUndefined();
  symlinkSync('kept', onDisk('link'));
  for (const byte of [0xe9, 0xff]) {
    writeFileSync(Buffer.concat([Buffer.from(onDisk('bad-')), Buffer.from([byte])]), 'x');
  }
  expect(await comments()).toBe('holdfast-left-out names=2 unreadable=0 others=1');
  const again = await unpack('tar', await pack('tar'), `${name}/again`);
  expect(again).toMatchObject({ status: 200 });
  expect(readdirSync(onDisk('again'))).toEqual(['kept']);
});
