import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DigestPage } from '@holdfast/specs/agent';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';

let agent: FilesClient;
beforeAll(async () => {
  agent = await startWithFiles();
});
afterAll(() => agent[Symbol.asyncDispose]());
beforeEach(() => () => {
  for (const name of ['a', 'a.b', 'link', 'many', 'z'])
    rmSync(join(agent.workspace, name), { recursive: true, force: true });
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const write = (path: string, text = path) => writeFileSync(join(agent.workspace, path), text);

async function pages(bytesMax = 1000): Promise<DigestPage['files'][]> {
  const all: DigestPage['files'][] = [];
  for (let after = ''; ; ) {
    const page: DigestPage = (await agent.ask('GET', 'files/digests', { bytesMax: `${bytesMax}`, after })).json();
    all.push(page.files);
    if (page.next === null) return all;
    after = page.next;
  }
}

test('lists sizes, versions and digests of regular files, and follows no links', async () => {
  mkdirSync(join(agent.workspace, 'a'));
  for (const path of ['a/x', 'a.b', 'z']) write(path);
  symlinkSync('a', join(agent.workspace, 'link'));
  const [files] = await pages();
  expect(files?.map(({ path, size, sha256 }) => ({ path, size, sha256 }))).toEqual(
    ['a/x', 'a.b', 'z'].map((path) => ({ path, size: path.length, sha256: sha256(path) })),
  );
  const { others } = (await agent.ask('GET', 'files/digests', { bytesMax: '1', after: '' })).json();
  expect(others).toEqual([{ path: 'link', kind: 'link' }]);
  const [first] = files ?? [];
  const read = await agent.ask('GET', 'files', { path: 'a/x', version: first?.version ?? '' });
  expect([read.status, read.text]).toEqual([200, 'a/x']);
});

test('lists directories, also empty ones, and whether files are executable', async () => {
  mkdirSync(join(agent.workspace, 'a/b/c'), { recursive: true });
  mkdirSync(join(agent.workspace, 'many'));
  mkdirSync(Buffer.concat([Buffer.from(`${agent.workspace}/z`), Buffer.from([0xff])]));
  write('a/x');
  write('a.b');
  chmodSync(join(agent.workspace, 'a/x'), 0o755);
  const page: DigestPage = (await agent.ask('GET', 'files/digests', { bytesMax: '1', after: '' })).json();
  rmdirSync(Buffer.concat([Buffer.from(`${agent.workspace}/z`), Buffer.from([0xff])]));
  expect(page.directories).toEqual(['a', 'a/b', 'a/b/c', 'many']);
  expect(page.files.map(({ path, executable }) => [path, executable])).toEqual([
    ['a/x', true],
    ['a.b', false],
  ]);
  expect(page.others).toEqual([{ path: 'z\ufffd', kind: 'other' }]);
});

test('ends a page after 1,000 directories, and after 1 MiB of paths', async () => {
  const names = Array.from({ length: 1100 }, (_, n) => `${n}`.padStart(250, '0'));
  mkdirSync(join(agent.workspace, 'many'));
  for (const name of names) mkdirSync(join(agent.workspace, 'many', name));
  const deep = `${'d'.repeat(250)}/`.repeat(14);
  const listed = async (after = ''): Promise<string[][]> => {
    const page: DigestPage = (await agent.ask('GET', 'files/digests', { bytesMax: '1', after })).json();
    const { directories = [], next } = page;
    return next === null ? [directories] : [directories, ...(await listed(next))];
  };
  const expected = ['many', ...names.map((name) => `many/${name}`)];
  expect((await listed()).map((directories) => directories.length)).toEqual([1000, 101]);
  expect((await listed()).flat()).toEqual(expected);
  mkdirSync(join(agent.workspace, 'a', deep), { recursive: true });
  for (const name of names.slice(0, 400)) mkdirSync(join(agent.workspace, 'a', deep, name));
  expect((await listed())[0]?.length).toBeLessThan(400);
});

test('gives no digest to a file that is larger than asked for', async () => {
  write('z', 'large');
  expect(await pages(4)).toMatchObject([[{ path: 'z', size: 5, sha256: null }]]);
});

test('continues a page in the directory where the page before ended', async () => {
  for (const folder of ['many/a/b', 'many/b']) mkdirSync(join(agent.workspace, folder), { recursive: true });
  const paths = Array.from({ length: 1200 }, (_, n) => `many/a/b/${String(n).padStart(4, '0')}`);
  for (const path of [...paths, 'many/b/x', 'z']) write(path, '');
  const listed = await pages();
  expect(listed.map((files) => files.length)).toEqual([1000, 202]);
  expect(listed.flat().map(({ path }) => path)).toEqual([...paths, 'many/b/x', 'z']);
});

test('rejects a place that is not a page', async () => {
  const answers = [{ after: 'no page!', bytesMax: '1' }, { bytesMax: '-1' }].map((query) =>
    agent.ask('GET', 'files/digests', query as Record<string, string>),
  );
  for (const { code } of await Promise.all(answers)) expect(code).toBe('invalid-request');
});
