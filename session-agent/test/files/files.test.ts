import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';
import { until } from '../support/until.ts';

let agent: FilesClient;
beforeAll(async () => {
  agent = await startWithFiles({ HOLDFAST_FILE_BYTES_MAX: '1000000' });
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
});
let folder = 0;
/** A new name for each test. */
let at: (path: string) => string;
let onDisk: (path: string) => string;
beforeEach(() => {
  const name = `t${++folder}`;
  at = (path) => `${name}/${path}`;
  onDisk = (path) => join(agent.workspace, name, path);
  mkdirSync(join(agent.workspace, name));
  return () => until('every descriptor below the workspace to be closed', () => agent.openDescriptors() === 1);
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('writes a file with the directories above it, and reads it with its sha256 as ETag', async () => {
  const written = await agent.write(at('a/b/x.txt'), 'hello');
  expect([written.status, written.json()]).toEqual([
    201,
    {
      path: at('a/b/x.txt'),
      size: 5,
      sha256: sha256('hello'),
      executable: false,
      mode: '0644',
    },
  ]);
  const read = await agent.read(at('a/b/x.txt'));
  expect([read.status, read.text, read.headers.get('etag')]).toEqual([200, 'hello', `"${sha256('hello')}"`]);
  const head = await agent.ask('HEAD', 'files', { path: at('a/b/x.txt') });
  expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
    200,
    `"${sha256('hello')}"`,
    '5',
  ]);
  expect((await agent.write(`/workspace/${at('a/b/x.txt')}`, 'again')).status).toBe(200);
  expect((await agent.read(`/mnt/data/${at('a/b/x.txt')}`)).text).toBe('again');
});

test('replaces a file and preserves its permissions', async () => {
  writeFileSync(onDisk('run'), 'old');
  chmodSync(onDisk('run'), 0o750);
  expect((await agent.write(at('run'), 'new')).json()).toMatchObject({ executable: true });
  expect([readFileSync(onDisk('run'), 'utf8'), statSync(onDisk('run')).mode & 0o777]).toEqual(['new', 0o750]);
});

test('makes a file executable on request, also one that it replaces', async () => {
  writeFileSync(onDisk('old'), 'old');
  for (const path of ['old', 'new']) {
    const written = await agent.write(at(path), path, { 'holdfast-executable': 'true' });
    expect([written.json(), statSync(onDisk(path)).mode & 0o100]).toMatchObject([{ executable: true }, 0o100]);
  }
});

test('answers ranges with 206, and impossible ones with 416', async () => {
  await agent.write(at('x'), '0123456789');
  const { headers } = await agent.read(at('x'));
  const etag = headers.get('etag') ?? '';
  const ask = async (asked: Record<string, string>) => {
    const { status, text, headers: got } = await agent.read(at('x'), asked);
    return [status, status < 400 ? text : '', got.get('content-range')];
  };
  expect(await ask({ range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10']);
  expect(await ask({ range: 'bytes=-2' })).toEqual([206, '89', 'bytes 8-9/10']);
  expect(await ask({ range: 'bytes=10-' })).toEqual([416, '', 'bytes */10']);
  expect(await ask({ range: 'bytes=2-4', 'if-range': etag })).toEqual([206, '234', 'bytes 2-4/10']);
  expect(await ask({ range: 'bytes=2-4', 'if-range': '"other"' })).toEqual([200, '0123456789', null]);
});

test('respects conditions for reading and for writing', async () => {
  const first = `"${sha256('one')}"`;
  expect((await agent.write(at('x'), 'one', { 'if-match': first })).code).toBe('precondition-failed');
  expect((await agent.write(at('x'), 'one', { 'if-none-match': '*' })).status).toBe(201);
  expect((await agent.write(at('x'), 'two', { 'if-none-match': '*' })).code).toBe('precondition-failed');
  expect((await agent.read(at('x'), { 'if-none-match': first })).status).toBe(304);
  expect((await agent.read(at('x'), { 'if-match': '"other"' })).code).toBe('precondition-failed');
  expect((await agent.write(at('x'), 'two', { 'if-match': first })).status).toBe(200);
  expect((await agent.write(at('x'), 'three', { 'if-match': first })).code).toBe('precondition-failed');
  expect((await agent.read(at('x'))).text).toBe('two');
});

test('lets one of many writers replace the same version', async () => {
  await agent.write(at('x'), 'start');
  const headers = { 'if-match': `"${sha256('start')}"` };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, who) => agent.write(at('x'), `by ${who}`, headers)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
});

test('changes nothing if the body does not match its digest', async () => {
  await agent.write(at('x'), 'old');
  const digest = (text: string) => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
  expect((await agent.write(at('x'), 'new', { 'content-digest': digest('other') })).code).toBe('digest-mismatch');
  expect((await agent.write(at('x'), 'new', { 'content-digest': 'md5=:abc:' })).code).toBe('invalid-request');
  expect(readFileSync(onDisk('x'), 'utf8')).toBe('old');
  expect((await agent.write(at('x'), 'new', { 'content-digest': digest('new') })).status).toBe(200);
  expect(readdirSync(onDisk(''))).toEqual(['x']);
});

test.for([
  ['with a length', 'Content-Length: 1000\r\n\r\nhalf'],
  ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
])('leaves only the old file if a body %s is cut off', async ([, rest]) => {
  await agent.write(at('x'), 'old');
  const cut = async (path: string) => {
    const socket = connect(Number(new URL(agent.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `PUT /v1/files?path=${encodeURIComponent(at(path))} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${agent.token}\r\n${rest}`,
    );
    await until('the upload to have begun', () =>
      readdirSync(onDisk('')).some((name) => name.startsWith('.holdfast-upload-')),
    );
    expect((await agent.ask('GET', 'files/list', { path: at('') })).text).not.toContain('.holdfast-upload-');
    socket.destroy();
    await until('the upload to be gone', () => readdirSync(onDisk('')).every((name) => name === 'x'));
  };
  await cut('x');
  await cut('new/folder/y');
  expect(readFileSync(onDisk('x'), 'utf8')).toBe('old');
  await until('its descriptors to be closed', () => agent.openDescriptors() === 1);
});

test('rejects a file beyond the limit without a trace, and can reuse its connection', async () => {
  expect((await agent.write(at('x'), Buffer.alloc(30_000_000))).code).toBe('body-too-large');
  expect((await agent.write(at('x'), Buffer.alloc(1_000_001))).code).toBe('body-too-large');
  expect((await agent.write(at('x'), Buffer.alloc(1_000_000))).status).toBe(201);
  expect(readdirSync(onDisk(''))).toEqual(['x']);
});

test('neither reads nor replaces anything but a regular file, and does not block on it', async () => {
  execFileSync('mkfifo', [onDisk('fifo')]);
  const server = createServer().listen(onDisk('socket'));
  await until('the socket', () => existsSync(onDisk('socket')));
  mkdirSync(onDisk('directory'));
  const names = ['fifo', 'socket', 'directory'];
  if (process.getuid?.() === 0 && makeDevice(onDisk('device'))) names.push('device');
  for (const name of names) {
    expect([name, (await agent.read(at(name))).code]).toEqual([name, 'path-conflict']);
    expect([name, (await agent.write(at(name), 'x')).code]).toEqual([name, 'path-conflict']);
    expect([name, (await agent.read(at(`${name}/x`))).status >= 400]).toEqual([name, true]);
  }
  expect(lstatSync(onDisk('fifo')).isFIFO()).toBe(true);
  server.close();
});

test('follows links inside the workspace, and none that lead outside', async () => {
  await agent.write(at('real/x'), 'inside');
  const links: [name: string, target: string, code: string | null][] = [
    ['relative', 'real', null],
    ['absolute', onDisk('real'), null],
    ['known', `/workspace/${at('real')}`, null],
    ['data', `/mnt/data/${at('real')}`, null],
    ['up-and-down', `../${at('real')}`, null],
    ['etc', '/etc', 'outside-workspace'],
    ['above', '../../..', 'outside-workspace'],
    ['sibling', `${agent.workspace}-other`, 'outside-workspace'],
    ['up-from-root', '/workspace/..', 'outside-workspace'],
    ['proc', '/proc/self/root', 'outside-workspace'],
    ['itself', 'itself', 'path-conflict'],
    ['nowhere', 'nothing', 'not-found'],
  ];
  for (const [name, target, code] of links) {
    symlinkSync(target, onDisk(name));
    expect([name, (await agent.read(at(`${name}/x`))).code]).toEqual([name, code]);
  }
  symlinkSync('real/x', onDisk('file-link'));
  expect((await agent.write(at('file-link'), 'through')).status).toBe(200);
  expect(readFileSync(onDisk('real/x'), 'utf8')).toBe('through');
  expect((await agent.ask('DELETE', 'files', { path: at('file-link') })).status).toBe(204);
  expect(readFileSync(onDisk('real/x'), 'utf8')).toBe('through');
});

test('lists a tree to a depth, moves it, and deletes it with everything in it', async () => {
  for (const path of ['t/a', 't/b/c', 't/b/d/e']) await agent.write(at(path), path);
  symlinkSync('/etc', onDisk('t/out'));
  const list = async (depth: string) => (await agent.ask('GET', 'files/list', { path: at('t'), depth })).json();
  const shown = (await list('2')).items.map((item: { path: string; kind: string }) => `${item.kind} ${item.path}`);
  expect(shown).toEqual([
    `file ${at('t/a')}`,
    `directory ${at('t/b')}`,
    `file ${at('t/b/c')}`,
    `directory ${at('t/b/d')}`,
    `link ${at('t/out')}`,
  ]);
  expect((await agent.json('files/move', { from: at('t'), to: at('t/b/inner') })).code).toBe('path-conflict');
  expect((await agent.json('files/move', { from: at('t'), to: at('new/u') })).status).toBe(204);
  expect((await agent.json('files/move', { from: at('new/u/a'), to: at('new/u/b/c') })).code).toBe('path-conflict');
  expect((await agent.json('files/move', { from: at('new/u/a'), to: at('new/u/b/c'), overwrite: true })).status).toBe(
    204,
  );
  expect((await agent.ask('DELETE', 'files', { path: at('new') })).code).toBe('path-conflict');
  expect((await agent.ask('DELETE', 'files', { path: at('new'), recursive: 'true' })).status).toBe(204);
  expect(readdirSync(onDisk(''))).toEqual([]);
  expect(existsSync('/etc/passwd')).toBe(true);
});

test('cuts the list of a directory with too many files, and says so', async () => {
  for (let file = 0; file < 10_001; file++) writeFileSync(onDisk(`f${file}`), '');
  const list = (await agent.ask('GET', 'files/list', { path: at('') })).json();
  expect([list.items.length, list.truncated]).toEqual([10_000, true]);
});

function makeDevice(path: string): boolean {
  try {
    execFileSync('mknod', [path, 'c', '1', '5'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
