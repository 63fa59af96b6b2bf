import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DigestPage } from '@holdfast/specs/agent';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';

let agent: FilesClient;
beforeAll(async () => {
  agent = await startWithFiles({ HOLDFAST_FILE_BYTES_MAX: '1000000' });
});
afterAll(() => agent[Symbol.asyncDispose]());

let folder = 0;
let at: (path: string) => string;
let onDisk: (path: string) => string;
beforeEach(() => {
  const name = `t${++folder}`;
  at = (path) => `${name}/${path}`;
  onDisk = (path) => join(agent.workspace, name, path);
  mkdirSync(join(agent.workspace, name));
});

const restore = (path: string, body: string, as: string) =>
  agent.ask('PUT', 'files', { path: at(path) }, body, { 'holdfast-restore': as });
const remove = (path: string, recursive = false) =>
  agent.ask('DELETE', 'files', { path: at(path), recursive: `${recursive}` }, undefined, {
    'holdfast-restore': 'absent',
  });
const modeOf = (path: string): string => (lstatSync(onDisk(path)).mode & 0o7777).toString(8).padStart(4, '0');

test.each(['0000', '0604', '0666', '0777'])(
  'a file is restored with exactly the mode %s, whatever is there',
  async (mode) => {
    writeFileSync(onDisk('old'), 'old', { mode: 0o640 });
    symlinkSync('old', onDisk('link'));
    execFileSync('mkfifo', [onDisk('fifo')]);
    for (const path of ['new', 'old', 'link', 'fifo']) {
      expect((await restore(path, 'text', mode)).json()).toMatchObject({ size: 4, mode });
      expect([lstatSync(onDisk(path)).isFile(), modeOf(path)]).toEqual([true, mode]);
    }
    mkdirSync(onDisk('directory'));
    expect((await restore('directory', 'text', mode)).status).toBe(409);
  },
);

test('a link is restored as text, whether its target leads anywhere or not', async () => {
  writeFileSync(onDisk('x'), 'x');
  for (const target of ['x', '/etc/passwd', '../../..', 'y'.repeat(4095)]) {
    expect((await restore('x', target, 'link')).status).toBe(200);
    expect(readlinkSync(onDisk('x'))).toBe(target);
  }
  const refused = await Promise.all(['', 'a\0b', 'y'.repeat(4096)].map((target) => restore('y', target, 'link')));
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 413]);
  expect(readdirSync(onDisk(''))).toEqual(['x']);
});

test('no link on the way is followed, also not one that stays in the workspace', async () => {
  mkdirSync(onDisk('e/f'), { recursive: true });
  writeFileSync(onDisk('e/x'), 'kept');
  symlinkSync('e', onDisk('d'));
  const answers = [
    await restore('d/x', 'new', '0644'),
    await restore('d/f/x', 'new', 'file'),
    await restore('d/l', 'x', 'link'),
    await remove('d/x'),
    await remove('d/f', true),
    await agent.ask('POST', 'directories', {}, JSON.stringify({ path: at('d/g') }), {
      'content-type': 'application/json',
      'holdfast-restore': 'directory',
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 409]);
  expect(readdirSync(onDisk('e'))).toEqual(['f', 'x']);
  expect(readFileSync(onDisk('e/x'), 'utf8')).toBe('kept');
  expect((await remove('d')).status).toBe(204);
});

test('directories that code has closed are opened for what is restored in them and taken from them', async () => {
  mkdirSync(onDisk('a/b/c'), { recursive: true });
  for (const path of ['a/b/c', 'a/b', 'a']) chmodSync(onDisk(path), 0);
  expect((await restore('a/b/x', 'x', '0600')).status).toBe(201);
  expect([modeOf('a'), modeOf('a/b')]).toEqual(['0700', '0700']);
  expect((await remove('a', true)).status).toBe(204);
  expect(readdirSync(onDisk(''))).toEqual([]);
});

test('a directory that is exchanged for a link again and again never leads a restored file elsewhere', async () => {
  mkdirSync(onDisk('d'));
  mkdirSync(onDisk('e'));
  writeFileSync(onDisk('e/x'), 'kept');
  symlinkSync('e', onDisk('link'));
  const swapLinks = fileURLToPath(new URL('../support/fixtures/swap_links.py', import.meta.url));
  const racer = spawn('python3', ['-I', '-S', swapLinks, onDisk('d'), onDisk('link')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(racer.stdout, 'data');
  const seen = { 200: 0, 201: 0, 204: 0, 404: 0, 409: 0 } as Record<number, number>;
  for (let round = 0; round < 500; round++) {
    for (const { status } of [
      await restore('d/x', 'new', '0600'),
      await restore('d/l', 'x', 'link'),
      await remove('d/x'),
    ])
      seen[status] = (seen[status] ?? 0) + 1;
  }
  racer.kill('SIGKILL');
  await once(racer, 'close');
  expect(Math.min(seen[409] ?? 0, (seen[200] ?? 0) + (seen[201] ?? 0))).toBeGreaterThan(10);
  expect(readdirSync(onDisk('e'))).toEqual(['x']);
  expect([readFileSync(onDisk('e/x'), 'utf8'), statSync(onDisk('e/x')).mode & 0o777]).toEqual(['kept', 0o644]);
}, 120_000);

test('digests have the modes of files, and the targets of links beside the other special files', async () => {
  writeFileSync(onDisk('f'), 'x');
  chmodSync(onDisk('f'), 0o4640);
  symlinkSync('../..', onDisk('l'));
  symlinkSync(Buffer.from([0xff]), onDisk('bytes'));
  const page: DigestPage = (await agent.ask('GET', 'files/digests', { bytesMax: '1', after: '' })).json();
  const mine = <Item extends { path: string }>(items: Item[] = []) =>
    items.filter(({ path }) => path.startsWith(at('')));
  expect(mine(page.files)).toMatchObject([{ path: at('f'), mode: '0640' }]);
  expect(mine(page.links)).toEqual([{ path: at('l'), target: '../..' }]);
  expect(mine(page.others).map(({ kind }) => kind)).toEqual(['link', 'link']);
});

test('a file that its owner may not read is read in its version, and keeps its mode', async () => {
  writeFileSync(onDisk('f'), 'secret');
  chmodSync(onDisk('f'), 0);
  const page: DigestPage = (await agent.ask('GET', 'files/digests', { bytesMax: '1', after: '' })).json();
  const version = page.files.find(({ path }) => path === at('f'))?.version ?? '';
  expect((await agent.ask('GET', 'files', { path: at('f'), version })).text).toBe('secret');
  expect(modeOf('f')).toBe('0000');
  expect((await agent.ask('GET', 'files', { path: at('f'), version })).text).toBe('secret');
  chmodSync(onDisk('f'), 0o100);
  expect((await agent.ask('GET', 'files', { path: at('f'), version })).status).toBe(412);
});

/** Only another user than root is stopped by modes. */
test.skipIf(process.getuid?.() !== 0)(
  'a user other than root scans, reads, restores and removes what code has closed',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'holdfast-closed-'));
    mkdirSync(join(root, 'closed'));
    for (const path of ['closed/f', 'unreadable']) writeFileSync(join(root, path), 'bytes');
    for (const path of ['closed/f', 'closed', 'unreadable', '']) chownSync(join(root, path), 65_534, 65_534);
    const program = fileURLToPath(new URL('../support/fixtures/closed-workspace.ts', import.meta.url));
    const asNobody = { uid: 65_534, gid: 65_534, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, [program, root], asNobody);
    expect(JSON.parse(printed)).toEqual({
      hidden: [],
      gone: ['deleted hiding/f'],
      inProcess: [{ path: 'closed', before: 'd', after: 'd!' }],
      byFind: [{ path: 'closed', before: 'd', after: 'd!' }],
      read: ['bytesbytes', '0000'],
      restored: ['closed/f', '0604'],
      left: ['unreadable'],
    });
    rmSync(root, { recursive: true });
  },
);
