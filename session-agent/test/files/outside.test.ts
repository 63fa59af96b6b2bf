import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileEntrySchema, fileStatSchema } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';
import { until } from '../support/until.ts';

const swapLinks = fileURLToPath(new URL('../support/fixtures/swap_links.py', import.meta.url));
const canary = 'must not be read';

let agent: FilesClient;
/** Two roots of the profile, a folder that is in none, and the folder that holds them all and the workspace. */
let root: string;
let other: string;
let elsewhere: string;
let parent: string;

beforeAll(async () => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-outside-')));
  [root, other, elsewhere] = ['root', 'other', 'elsewhere'].map((name) => join(parent, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, other, elsewhere]) mkdirSync(folder);
  writeFileSync(join(elsewhere, 'x'), canary);
  agent = await startWithFiles({ HOLDFAST_AGENT_FILE_ROOTS: JSON.stringify([root, other, tmpdir()]) });
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
  expect(readdirSync(elsewhere)).toEqual(['x']);
  rmSync(parent, { recursive: true });
});

let folder = 0;
/** A path in a new folder of the first root for each test. */
let at: (path: string) => string;
beforeEach(() => {
  const name = join(root, `t${++folder}`);
  at = (path) => join(name, path);
  mkdirSync(name);
});

const stat = (path: string) => agent.ask('GET', 'files/stat', { path });

test('writes, lists, reads, moves and deletes a file in a root outside the workspace', async () => {
  const written = await agent.write(at('a/b/x.txt'), 'hello');
  expect([written.status, written.json().path]).toEqual([201, at('a/b/x.txt')]);
  const read = await agent.read(at('a/b/x.txt'), { range: 'bytes=1-3' });
  expect([read.status, read.text]).toEqual([206, 'ell']);
  const listed = (await agent.ask('GET', 'files/list', { path: at(''), depth: '9' })).json();
  expect(listed.items.map(({ path }: { path: string }) => path)).toEqual([at('a'), at('a/b'), at('a/b/x.txt')]);
  expect((await agent.json('directories', { path: at('c') })).status).toBe(201);
  expect((await agent.json('files/move', { from: at('a/b/x.txt'), to: at('c/y') })).status).toBe(204);
  expect(readFileSync(at('c/y'), 'utf8')).toBe('hello');
  const packed = await (await agent.send('GET', 'archive', { path: at('c'), format: 'tar' })).arrayBuffer();
  const unpacked = await agent.ask('PUT', 'archive', { path: at('d'), format: 'tar' }, Buffer.from(packed));
  expect([unpacked.json().files, readFileSync(at('d/y'), 'utf8')]).toEqual([1, 'hello']);
  expect((await agent.ask('DELETE', 'files', { path: at('a') })).code).toBe('path-conflict');
  expect((await agent.ask('DELETE', 'files', { path: at('a'), recursive: 'true' })).status).toBe(204);
  expect(readdirSync(at('')).toSorted()).toEqual(['c', 'd']);
  expect(readdirSync(agent.workspace)).toEqual([]);
});

test('neither deletes, moves nor replaces a root', async () => {
  for (const path of [root, `${root}/`, `${root}/.`]) {
    expect((await agent.ask('DELETE', 'files', { path, recursive: 'true' })).code).toBe('path-conflict');
    expect((await agent.json('files/move', { from: path, to: at('x') })).code).toBe('path-conflict');
    expect((await agent.json('files/move', { from: at(''), to: path, overwrite: true })).code).toBe('path-conflict');
    expect((await agent.write(path, 'x')).code).toBe('path-conflict');
  }
  expect(existsSync(at(''))).toBe(true);
});

test('follows links within a root, and none that lead out of it', async () => {
  writeFileSync(at('x'), 'inside');
  writeFileSync(join(agent.workspace, 'x'), canary);
  writeFileSync(join(other, 'x'), canary);
  mkdirSync(at('real'));
  const links: [name: string, target: string, code: string | null][] = [
    ['relative', '../', null],
    ['absolute', at(''), null],
    ['other-root', other, 'outside-workspace'],
    ['workspace', agent.workspace, 'outside-workspace'],
    ['known-workspace', '/workspace', 'outside-workspace'],
    ['up', '../../..', 'outside-workspace'],
    ['elsewhere', elsewhere, 'outside-workspace'],
    ['etc', '/etc', 'outside-workspace'],
    ['proc', '/proc/self/root', 'outside-workspace'],
    ['cwd', '/proc/self/cwd', 'outside-workspace'],
    ['dev', '/dev', 'outside-workspace'],
  ];
  for (const [name, target, code] of links) {
    symlinkSync(target, at(`real/${name}`));
    expect([name, (await agent.read(at(`real/${name}/x`))).code]).toEqual([name, code]);
    expect([name, (await stat(at(`real/${name}/x`))).code]).toEqual([name, code]);
    if (code === null) continue;
    expect([name, (await agent.write(at(`real/${name}/new`), 'x')).code]).toEqual([name, code]);
    expect([name, (await agent.ask('DELETE', 'files', { path: at(`real/${name}/x`) })).code]).toEqual([name, code]);
  }
  symlinkSync('/dev/zero', at('zero'));
  expect((await agent.read(at('zero'))).code).toBe('outside-workspace');
  rmSync(join(agent.workspace, 'x'));
});

test('refuses the workspace as a part of a root, by any of its paths', async () => {
  await agent.write('x', 'in the world');
  symlinkSync(agent.workspace, join(tmpdir(), `${basename(parent)}-link`));
  for (const path of [agent.workspace, join(tmpdir(), `${basename(parent)}-link`)]) {
    expect((await agent.read(`${path}/x`)).code).toBe('outside-workspace');
    expect((await agent.write(`${path}/x`, 'past the world')).code).toBe('outside-workspace');
    expect((await agent.ask('DELETE', 'files', { path: `${path}/x` })).code).toBe('outside-workspace');
  }
  expect((await agent.ask('DELETE', 'files', { path: agent.workspace, recursive: 'true' })).code).toBe(
    'outside-workspace',
  );
  rmSync(join(tmpdir(), `${basename(parent)}-link`));
  expect((await agent.read('x')).text).toBe('in the world');
  await agent.ask('DELETE', 'files', { path: 'x' });
});

test('describes everything that can be at a path without opening it', async () => {
  writeFileSync(at('file'), 'four');
  chmodSync(at('file'), 0o4750);
  utimesSync(at('file'), 1_700_000_000, 1_600_000_000);
  mkdirSync(at('directory'), { mode: 0o700 });
  symlinkSync('file', at('link'));
  symlinkSync(Buffer.from('\xff', 'latin1'), at('odd-link'));
  symlinkSync('nowhere', at('dangling'));
  execFileSync('mkfifo', ['-m', '600', at('fifo')]);
  const socket = createServer().listen(at('socket'));
  await once(socket, 'listening');
  const { uid, gid } = { uid: process.getuid?.(), gid: process.getgid?.() };
  const name = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  const group = execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim();
  expect((await stat(at('file'))).json()).toMatchObject({
    path: at('file'),
    kind: 'file',
    size: 4,
    mode: '4750',
    uid,
    gid,
    owner: name,
    group,
    linkTarget: null,
    accessedAt: new Date(1_700_000_000_000).toISOString(),
    modifiedAt: new Date(1_600_000_000_000).toISOString(),
  });
  expect((await stat(at('directory'))).json()).toMatchObject({ kind: 'directory', size: 0, mode: '0700' });
  expect((await stat(at('link'))).json()).toMatchObject({ kind: 'link', linkTarget: 'file' });
  expect((await stat(at('odd-link'))).json()).toMatchObject({ kind: 'link', linkTarget: '\ufffd' });
  expect((await stat(at('fifo'))).json()).toMatchObject({ kind: 'other', size: 0, mode: '0600' });
  expect((await stat(at('dangling'))).json()).toMatchObject({ kind: 'link', linkTarget: 'nowhere' });
  expect((await stat(at('socket'))).json()).toMatchObject({ kind: 'other', size: 0 });
  socket.close();
  expect((await stat(at('missing'))).code).toBe('not-found');
  expect((await stat(at('dangling/x'))).code).toBe('not-found');
  expect((await stat(at('file/x'))).code).toBe('path-conflict');
  expect((await stat('')).json()).toMatchObject({ path: '', kind: 'directory' });
});

test.for([-1e9, 5e11])('shows a time that no answer can write, %d, as one that it can', async (seconds) => {
  writeFileSync(at('x'), '');
  execFileSync('touch', ['-d', `@${seconds}`, at('x')]);
  const { items } = (await agent.ask('GET', 'files/list', { path: at('') })).json();
  expect(fileEntrySchema.safeParse(items[0]).success).toBe(true);
  expect(fileStatSchema.safeParse((await stat(at('x'))).json()).success).toBe(true);
});

test('a list of a file is a fault of the request', async () => {
  await agent.write(at('x'), 'x');
  const { status, code } = await agent.ask('GET', 'files/list', { path: at('x') });
  expect([status, code]).toEqual([400, 'invalid-request']);
});

test('lists names that are not UTF-8 and deletes them with their directory', async () => {
  mkdirSync(at('d'));
  writeFileSync(Buffer.concat([Buffer.from(at('d/')), Buffer.from([0xff, 0xfe])]), 'x');
  const { items } = (await agent.ask('GET', 'files/list', { path: at('d') })).json();
  expect(items).toMatchObject([{ path: at('d/\ufffd\ufffd'), kind: 'other' }]);
  expect((await agent.ask('DELETE', 'files', { path: at('d'), recursive: 'true' })).status).toBe(204);
  expect(existsSync(at('d'))).toBe(false);
});

test('neither reads nor replaces a FIFO, and does not wait for it', async () => {
  execFileSync('mkfifo', [at('fifo')]);
  expect((await agent.read(at('fifo'))).code).toBe('path-conflict');
  expect((await agent.write(at('fifo'), 'x')).code).toBe('path-conflict');
});

test('replaces a file that has another name in the workspace only under the name outside', async () => {
  await agent.write('shared', 'in the world');
  linkSync(join(agent.workspace, 'shared'), at('shared'));
  expect((await agent.write(at('shared'), 'scratch')).status).toBe(200);
  expect((await agent.read('shared')).text).toBe('in the world');
  await agent.ask('DELETE', 'files', { path: 'shared' });
});

test('stays in its root in 200 rounds while code exchanges a directory for a link that leads out', async () => {
  mkdirSync(at('d'));
  writeFileSync(at('d/x'), 'inside');
  symlinkSync(elsewhere, at('link'));
  const racer = spawn('python3', ['-I', '-S', swapLinks, at('d'), at('link')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(racer.stdout, 'data');
  const seen = { done: 0, refused: 0 };
  try {
    for (let round = 0; round < 200; round++) {
      const answers = [
        await agent.write(at('d/x'), 'written'),
        await agent.read(at('d/x')),
        await stat(at('d/x')),
        await agent.ask('GET', 'files/list', { path: at('d') }),
        await agent.json('files/move', { from: at('d/x'), to: at('d/y'), overwrite: true }),
        await agent.ask('DELETE', 'files', { path: at('d/y') }),
      ];
      for (const { status, text } of answers) {
        expect(status).toBeLessThan(500);
        expect(text).not.toContain(canary);
        seen[status < 300 ? 'done' : 'refused'] += 1;
      }
    }
  } finally {
    racer.kill('SIGKILL');
    await once(racer, 'close');
  }
  // Both happened, so the exchange was really going on.
  expect(Math.min(seen.done, seen.refused)).toBeGreaterThan(20);
  expect(readFileSync(join(elsewhere, 'x'), 'utf8')).toBe(canary);
}, 120_000);

test('closes every descriptor of its walks', async () => {
  await until('the agent to have only its roots open', () => agent.openDescriptorsBelow(parent) === 2);
});
