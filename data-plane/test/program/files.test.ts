import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { type FilesClient, filesClient, sha256, workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let files: FilesClient;
let workspace: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  const { id } = await holdfast.createSession();
  files = filesClient(holdfast, id);
  workspace = workspaceOf(installation.dataDir, id);
});

afterAll(() => installation[Symbol.asyncDispose]());

let folder = 0;
/** A new name for each test. */
let at: (path: string) => string;
let onDisk: (path: string) => string;
beforeEach(() => {
  const name = `t${++folder}`;
  at = (path) => `${name}/${path}`;
  onDisk = (path) => join(workspace, name, path);
});

/** The world below the test's folder: sha256 by path. */
async function world(): Promise<Record<string, string>> {
  const rows = await listWorldFiles(installation.database.db, { sessionId: files.sessionId });
  const own = rows.filter(({ path }) => path.startsWith(at('')));
  return Object.fromEntries(own.map((row) => [row.path.slice(at('').length), row.sha256]));
}

test('writes a file to workspace and world, and reads it with its SHA-256 as ETag and the content type of its name', async () => {
  const written = await files.put(at('a/b/data.csv'), 'x,y\n1,2\n');
  const digest = sha256('x,y\n1,2\n');
  expect([written.status, written.json(), written.headers.get('etag')]).toEqual([
    201,
    { path: at('a/b/data.csv'), size: 8, sha256: digest },
    `"${digest}"`,
  ]);
  expect(readFileSync(onDisk('a/b/data.csv'), 'utf8')).toBe('x,y\n1,2\n');
  expect(await world()).toEqual({ 'a/b/data.csv': digest });
  const read = await files.get(at('a/b/data.csv'));
  const { headers } = read;
  expect([read.status, read.text, headers.get('etag'), headers.get('content-type')]).toEqual([
    200,
    'x,y\n1,2\n',
    `"${digest}"`,
    'text/csv; charset=utf-8',
  ]);
  expect([headers.get('x-content-type-options'), headers.get('content-security-policy')]).toEqual([
    'nosniff',
    "sandbox; default-src 'none'",
  ]);
  const step = await holdfast.runStep(files.sessionId, {
    code: `print(open(${JSON.stringify(at('a/b/data.csv'))}).read())`,
  });
  expect(step.stdout).toBe('x,y\n1,2\n\n');
  expect((await files.put(at('a/b/data.csv'), '')).status).toBe(200);
  expect((await files.get(at('a/b/data.csv'))).text).toBe('');
});

test('answers HEAD, ranges and conditions as RFC 9110 defines them', async () => {
  await files.put(at('x'), '0123456789');
  const etag = `"${sha256('0123456789')}"`;
  const head = await files.head(at('x'));
  expect([head.status, head.text, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
    200,
    '',
    '10',
    etag,
  ]);
  const part = await files.get(at('x'), { range: 'bytes=2-4' });
  expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10']);
  expect((await files.get(at('x'), { range: 'bytes=2-4', 'if-range': '"other"' })).status).toBe(200);
  expect((await files.get(at('x'), { range: 'bytes=10-' })).code).toBe('range-not-satisfiable');
  expect((await files.get(at('x'), { 'if-none-match': etag })).status).toBe(304);
  expect((await files.get(at('x'), { 'if-match': '"other"' })).code).toBe('precondition-failed');
  expect((await files.head(at('nothing'))).status).toBe(404);
});

test('a write with a failed condition or digest changes neither workspace nor world', async () => {
  await files.put(at('x'), 'one');
  const before = await world();
  expect((await files.put(at('x'), 'two', { 'if-none-match': '*' })).code).toBe('precondition-failed');
  expect((await files.put(at('x'), 'two', { 'if-match': '"other"' })).code).toBe('precondition-failed');
  const digest = `sha-256=:${Buffer.from(sha256('other'), 'hex').toString('base64')}:`;
  expect((await files.put(at('x'), 'two', { 'content-digest': digest })).code).toBe('digest-mismatch');
  expect((await files.put(at('x/y'), 'two')).code).toBe('path-conflict');
  expect([await world(), readFileSync(onDisk('x'), 'utf8')]).toEqual([before, 'one']);
  expect((await files.put(at('x'), 'two', { 'if-match': `"${sha256('one')}"` })).status).toBe(200);
  expect(await world()).toEqual({ x: sha256('two') });
});

test('workspace and world end with the same file when many clients write one path at once', async () => {
  for (let round = 0; round < 5; round++) {
    const texts = Array.from({ length: 8 }, (_, who) => `${round} by ${who}`);
    const answers = await Promise.all(texts.map((text) => files.put(at('x'), text)));
    expect(answers.map(({ status }) => status < 300)).not.toContain(false);
    expect(await world()).toEqual({ x: sha256(readFileSync(onDisk('x'))) });
  }
});

test('files are listed to a depth, moved and deleted, in workspace and world', async () => {
  for (const path of ['t/a', 't/b/c', 't/b/d/e']) await files.put(at(path), path);
  const list = (await files.list({ path: at('t'), depth: '2' })).json();
  expect(list.items.map(({ path, kind }: { path: string; kind: string }) => `${kind} ${path}`)).toEqual([
    `file ${at('t/a')}`,
    `directory ${at('t/b')}`,
    `file ${at('t/b/c')}`,
    `directory ${at('t/b/d')}`,
  ]);
  expect((await files.move(at('t/b'), at('u'))).status).toBe(204);
  expect(Object.keys(await world())).toEqual(['t/a', 'u/c', 'u/d/e']);
  expect((await files.move(at('t/a'), at('u/c'))).code).toBe('path-conflict');
  expect((await files.move(at('t/a'), at('u/c'), true)).status).toBe(204);
  expect(await world()).toEqual({ 'u/c': sha256('t/a'), 'u/d/e': sha256('t/b/d/e') });
  expect((await files.remove(at('u'))).code).toBe('path-conflict');
  expect((await files.remove(at('u'), { recursive: 'true' })).status).toBe(204);
  expect([await world(), existsSync(onDisk('u'))]).toEqual([{}, false]);
  expect((await files.remove(at('u'))).code).toBe('not-found');
});

test('creates a directory once, and names a file that is in the way', async () => {
  expect((await files.makeDirectory(at('d/e'))).status).toBe(201);
  expect((await files.makeDirectory(at('d/e'))).status).toBe(204);
  expect((await files.get(at('d/e'))).code).toBe('path-conflict');
  expect((await files.put(at('d/e'), 'x')).code).toBe('path-conflict');
  expect((await files.put(at('d'), 'x')).code).toBe('path-conflict');
  expect(await world()).toEqual({});
});

test.for(['tar', 'zip'])('a directory goes down as a %s and up again, into the world, too', async (format) => {
  const contents: Record<string, string> = { 'a.txt': 'a', 'é/ü.txt': 'ü', large: 'x'.repeat(3_000_000) };
  for (const [path, content] of Object.entries(contents)) await files.put(at(`from/${path}`), content);
  const down = await files.send('GET', 'archive', { query: { path: at('from'), format } });
  expect([down.status, down.headers.get('content-type')]).toEqual([
    200,
    format === 'tar' ? 'application/x-tar' : 'application/zip',
  ]);
  const body = new Uint8Array(await down.arrayBuffer());
  const up = await files.ask('PUT', 'archive', { query: { path: at('to'), format }, body });
  expect([up.status, up.json()]).toEqual([200, { files: 3, bytes: 3_000_003, omissions: {} }]);
  for (const [path, content] of Object.entries(contents)) {
    expect(readFileSync(onDisk(`to/${path}`), 'utf8')).toBe(content);
    expect((await world())[`to/${path}`]).toBe(sha256(content));
  }
});

test('the first step finds the files that the session was created with', async () => {
  const bytes = Buffer.from([0, 255, 10, 13]);
  const { id } = await holdfast.createSession({
    files: { 'in/a.txt': 'text é', '/workspace/b': { base64: bytes.toString('base64') } },
  });
  const code = 'print(open("in/a.txt").read(), open("b", "rb").read(), sep="|", end="")';
  expect((await holdfast.runStep(id, { code })).stdout).toBe("text é|b'\\x00\\xff\\n\\r'");
  const made = await holdfast.request('POST', '/v1/sessions', { files: { a: '', 'a/b': '', '../x': '' } });
  expect([made.status, made.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
    400,
    ['/files/a~1b', '/files/..~1x'],
  ]);
});
