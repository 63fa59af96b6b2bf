import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { absolutePaths, plainPaths, refusedPaths } from '../../../specs/test/hostile-paths.ts';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';

let agent: FilesClient;
let canaries: string;

beforeAll(async () => {
  canaries = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-canary-')));
  writeFileSync(join(canaries, 'canary'), 'alive');
  agent = await startWithFiles();
  mkdirSync(join(agent.workspace, 'd'));
  writeFileSync(join(agent.workspace, 'd', 'x'), 'inside');
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
  rmSync(canaries, { recursive: true });
});

type Operation = [name: string, ask: (path: string) => ReturnType<FilesClient['ask']>];
const operations: Operation[] = [
  ['read', (path) => agent.read(path)],
  ['head', (path) => agent.ask('HEAD', 'files', { path })],
  ['write', (path) => agent.write(path, 'x')],
  ['delete', (path) => agent.ask('DELETE', 'files', { path })],
  ['delete recursively', (path) => agent.ask('DELETE', 'files', { path, recursive: 'true' })],
  ['stat', (path) => agent.ask('GET', 'files/stat', { path })],
  ['list', (path) => agent.ask('GET', 'files/list', { path, depth: '3' })],
  ['move from', (from) => agent.json('files/move', { from, to: 'to' })],
  ['move to', (to) => agent.json('files/move', { from: 'd/x', to, overwrite: true })],
  ['make a directory', (path) => agent.json('directories', { path })],
  ['pack', (path) => agent.ask('GET', 'archive', { path, format: 'tar' })],
  ['unpack', (path) => agent.ask('PUT', 'archive', { path, format: 'tar' }, Buffer.alloc(1024))],
];

test('has at least 200 hostile paths', () => {
  expect(refusedPaths.length + absolutePaths.length).toBeGreaterThanOrEqual(200);
});

test.for(operations)('rejects all paths outside the workspace and changes nothing: %s', async ([, ask]) => {
  for (const path of refusedPaths) {
    const { status } = await ask(path);
    expect([path.slice(0, 80), status]).toEqual([path.slice(0, 80), 400]);
  }
  for (const path of absolutePaths) {
    const { status, code } = await ask(path);
    expect([path, status, code ?? 'outside-workspace']).toEqual([path, 403, 'outside-workspace']);
  }
  expect(readdirSync(agent.workspace, { recursive: true }).toSorted()).toEqual(['d', 'd/x']);
  expect(readFileSync(join(agent.workspace, 'd/x'), 'utf8')).toBe('inside');
});

test.for(['a/%ff', '%c0%ae%c0%ae/x', '%', '%zz', '%ed%a0%80'])(
  'rejects a query with %s, which is not UTF-8',
  async (raw) => {
    const response = await fetch(`${agent.url}/v1/files?path=${raw}`, {
      headers: { authorization: `Bearer ${agent.token}` },
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid-request' }]);
  },
);

test('writes, lists, reads, moves and deletes a file whose name looks like a trick', async () => {
  for (const path of plainPaths) {
    expect([path, (await agent.write(path, encodeURI(path))).status]).toEqual([path, 201]);
    expect((await agent.read(path)).text).toBe(encodeURI(path));
    expect(readFileSync(join(agent.workspace, path), 'utf8')).toBe(encodeURI(path));
    const listed = (await agent.ask('GET', 'files/list', { depth: '3' })).json();
    expect(listed.items.map((item: { path: string }) => item.path)).toContain(path);
    expect((await agent.json('files/move', { from: path, to: 'moved' })).status).toBe(204);
    expect((await agent.json('files/move', { from: 'moved', to: path })).status).toBe(204);
    expect((await agent.ask('DELETE', 'files', { path })).status).toBe(204);
    await agent.ask('DELETE', 'files', { path: path.split('/')[0] ?? '', recursive: 'true' });
    if (!path.startsWith('d/')) continue;
    await agent.write('d/x', 'inside');
  }
  expect(readFileSync(join(canaries, 'canary'), 'utf8')).toBe('alive');
});
