import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { absolutePaths, plainPaths, refusedPaths } from '../../../specs/test/hostile-paths.ts';
import { type FilesClient, filesClient, inUrl, workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { rawRequest } from '../support/raw-request.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

const canary = 'nobody reads this';

let installation: Installation;
let holdfast: Holdfast;
let files: FilesClient;
let workspace: string;
let outside: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  files = filesClient(holdfast, (await holdfast.createSession()).id);
  workspace = workspaceOf(installation.dataDir, files.sessionId);
  outside = `${workspace}-outside`;
  mkdirSync(outside);
  for (const folder of [outside, dirname(workspace)]) writeFileSync(join(folder, 'canary'), canary);
  await files.put('d/x', 'inside');
});

afterAll(async () => {
  for (const folder of [outside, dirname(workspace)]) expect(readFileSync(join(folder, 'canary'), 'utf8')).toBe(canary);
  expect(readdirSync(outside)).toEqual(['canary']);
  await installation[Symbol.asyncDispose]();
});

type Answer = Promise<{ status: number; text: string }>;
type Operation = [name: string, ask: (path: string) => Answer];

/** Sends a request with the path after `files/`, each part encoded, but dots unchanged. */
const raw = (method: string, path: string, body?: string, search = ''): Answer =>
  rawRequest(holdfast.url, {
    method,
    target: `/v1/sessions/${files.sessionId}/files/${inUrl(path)}${search}`,
    ...(body !== undefined && { body }),
  });
const session = (path: string, body: object) => holdfast.request('POST', path, body);

const operations: Operation[] = [
  ['read', (path) => raw('GET', path)],
  ['head', (path) => raw('HEAD', path)],
  ['write', (path) => raw('PUT', path, 'x')],
  ['delete', (path) => raw('DELETE', path)],
  ['delete with all', (path) => raw('DELETE', path, undefined, '?recursive=true')],
  ['stat', (path) => files.ask('GET', 'stat', { query: { path } })],
  ['list', (path) => files.list({ path, depth: '3' })],
  ['move from', (from) => files.move(from, 'to')],
  ['move to', (to) => files.move('d/x', to, true)],
  ['make a directory', (path) => files.makeDirectory(path)],
  ['pack', (path) => files.ask('GET', 'archive', { query: { path } })],
  ['unpack', (path) => files.ask('PUT', 'archive', { query: { path }, body: Buffer.alloc(1024) })],
];

test.for(operations)('%s rejects every path that is not in the workspace, and changes nothing', async ([, ask]) => {
  expect(refusedPaths.length + absolutePaths.length).toBeGreaterThanOrEqual(200);
  const expected = [
    ...refusedPaths.map((path) => [path, 400] as const),
    ...absolutePaths.map((path) => [path, 403] as const),
  ];
  for (const [path, refused] of expected) {
    const { status, text } = await ask(path);
    expect([path.slice(0, 80), status]).toEqual([path.slice(0, 80), refused]);
    expect(text).not.toContain(canary);
  }
  expect(readdirSync(workspace, { recursive: true }).toSorted()).toEqual(['d', 'd/x']);
  expect(readFileSync(join(workspace, 'd/x'), 'utf8')).toBe('inside');
});

test('a session does not begin with a file outside its workspace', async () => {
  for (const path of [...refusedPaths, ...absolutePaths]) {
    const { status } = await session('/v1/sessions', { files: { [path]: 'x' } });
    expect([path.slice(0, 80), status]).toEqual([path.slice(0, 80), 400]);
  }
});

test.each([
  ['dots that lead to the session itself', 'DELETE', '../../SESSION'],
  ['dots that are encoded', 'DELETE', '%2e%2e/%2E%2E/SESSION'],
  ['dots in the middle', 'GET', 'd/%2e/x'],
  ['an encoded slash', 'GET', 'd%2fx'],
  ['encoded dots and slashes', 'GET', '..%2f..%2fcanary'],
  ['overlong dots', 'GET', '%c0%ae%c0%ae/canary'],
  ['a surrogate', 'PUT', '%ed%a0%80'],
  ['bytes that are not UTF-8', 'PUT', '%ff'],
  ['a percent sign alone', 'PUT', 'x%'],
  ['a backslash', 'GET', '..\\canary'],
  ['nothing', 'PUT', ''],
])('rejects a URL with %s', async (_, method, rest) => {
  const target = `/v1/sessions/${files.sessionId}/files/${rest.replace('SESSION', files.sessionId)}`;
  expect((await rawRequest(holdfast.url, { method, target })).status).toBe(400);
  expect((await holdfast.request('GET', `/v1/sessions/${files.sessionId}`)).body.status).toBe('active');
});

test('writes, lists, reads, moves and deletes a file whose name looks like an attack', async () => {
  for (const path of plainPaths) {
    const content = encodeURI(path);
    expect([path, (await raw('PUT', path, content)).status]).toEqual([path, 201]);
    expect((await raw('GET', path)).text).toBe(content);
    expect(readFileSync(join(workspace, path), 'utf8')).toBe(content);
    const listed = (await files.list({ depth: '3' })).json();
    expect(listed.items.map((item: { path: string }) => item.path)).toContain(path);
    expect((await files.move(path, 'moved')).status).toBe(204);
    expect((await files.move('moved', path)).status).toBe(204);
    expect((await raw('DELETE', path)).status).toBe(204);
  }
});

test('no operation reads or changes a file outside the workspace through a link', async () => {
  symlinkSync(outside, join(workspace, 'out'));
  symlinkSync(join(outside, 'canary'), join(workspace, 'file'));
  const asked: [string, Answer][] = [
    ['read', files.get('out/canary')],
    ['read a link', files.get('file')],
    ['write', files.put('out/new', 'x')],
    ['write through a link', files.put('file', 'x')],
    ['delete', files.remove('out/canary')],
    ['list', files.list({ path: 'out' })],
    ['move from', files.move('out/canary', 'stolen')],
    ['move to', files.move('d/x', 'out/x')],
    ['make a directory', files.makeDirectory('out/new')],
    ['pack', files.ask('GET', 'archive', { query: { path: 'out' } })],
    ['unpack', files.ask('PUT', 'archive', { query: { path: 'out' }, body: Buffer.alloc(1024) })],
  ];
  for (const [name, answer] of asked) {
    const { status, text } = await answer;
    expect([name, status]).toEqual([name, 403]);
    expect(text).not.toContain(canary);
  }
  const packed = await files.ask('GET', 'archive');
  expect(packed.text).not.toContain(canary);
  for (const name of ['out', 'file']) rmSync(join(workspace, name));
});
