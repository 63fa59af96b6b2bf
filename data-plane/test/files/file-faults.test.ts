import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileArchives } from '../../../specs/test/hostile-archives.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { eventually } from '../support/eventually.ts';
import { type FilesClient, filesClient, sha256, workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { agentOf } from '../support/process-runtime.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

const uploadBytesMax = 12_000_000;
const keptSessionBytesMax = 20_000_000;

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({
    HOLDFAST_UPLOAD_BYTES_MAX: String(uploadBytesMax),
    HOLDFAST_KEPT_SESSION_BYTES_MAX: String(keptSessionBytesMax),
  });
});

afterAll(() => installation[Symbol.asyncDispose]());

/** A session with a file `x`. */
async function session(): Promise<FilesClient & { workspace: string }> {
  const { id } = await holdfast.createSession();
  const files = filesClient(holdfast, id);
  await files.put('x', 'old');
  return { ...files, workspace: workspaceOf(installation.dataDir, id) };
}

const world = async ({ sessionId }: FilesClient) =>
  Object.fromEntries(
    (await listWorldFiles(installation.database.db, { sessionId })).map((row) => [row.path, row.sha256]),
  );
const untouched = { x: sha256('old') };

/** The first half of an upload, which has reached the workspace. Its second half is never sent. */
async function halfUpload({ sessionId, workspace }: FilesClient & { workspace: string }, path: string) {
  const socket = connect(Number(new URL(holdfast.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const head = `PUT /v1/sessions/${sessionId}/files/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2000000\r\n\r\n`;
  socket.write(head + 'x'.repeat(1_000_000));
  await eventually(() => expect(uploadsIn(workspace)).toHaveLength(1));
  return { socket, received: () => received };
}

const uploadsIn = (workspace: string) => readdirSync(workspace).filter((name) => name.startsWith('.holdfast-upload-'));

test('an upload that is cut off leaves the old file, no new file and an unchanged world', async () => {
  const files = await session();
  for (const path of ['x', 'new']) {
    const { socket } = await halfUpload(files, path);
    socket.destroy();
    await eventually(() => expect(readdirSync(files.workspace)).toEqual(['x']));
  }
  expect([readFileSync(join(files.workspace, 'x'), 'utf8'), await world(files)]).toEqual(['old', untouched]);
});

test('an agent that dies during an upload leaves the world unchanged, and the client gets an error', async () => {
  const files = await session();
  const { socket, received } = await halfUpload(files, 'x');
  const [route] = await installation.database.db.sql<{ uid: string }[]>`
    select sandbox_uid as uid from session_routes where session_id = ${files.sessionId}`;
  process.kill((await agentOf(route?.uid ?? '')).pid, 'SIGKILL');
  // The session ends with its agent, and the server may know that already.
  await eventually(() => expect(received()).toMatch(/^HTTP\/1.1 (503|410) /));
  socket.destroy();
  expect(await world(files)).toEqual(untouched);
});

test('a body over the limit is rejected, with or without an announced length, and leaves nothing', async () => {
  const files = await session();
  const large = Buffer.alloc(uploadBytesMax + 1);
  const announced = await files.put('large', large).catch(() => ({ code: 'body-too-large' }));
  expect(announced.code).toBe('body-too-large');
  async function* unannounced() {
    for (let sent = 0; sent < 21; sent++) yield Buffer.alloc(1_000_000);
  }
  const answer = await files.put('large', unannounced()).catch(() => ({ code: 'body-too-large' }));
  expect(answer.code).toBe('body-too-large');
  await eventually(() => expect(readdirSync(files.workspace)).toEqual(['x']));
  expect(await world(files)).toEqual(untouched);
});

test('a file beyond the limit of a session is rejected, and one from an archive is listed as omitted', async () => {
  const files = await session();
  expect((await files.put('a', Buffer.alloc(uploadBytesMax, 'a'))).status).toBe(201);
  expect((await files.put('c', Buffer.alloc(keptSessionBytesMax - uploadBytesMax - 1000))).status).toBe(201);
  expect((await files.put('b', Buffer.alloc(1001))).code).toBe('workspace-full');
  async function* unannounced() {
    yield Buffer.alloc(1001);
  }
  expect((await files.put('b', unannounced())).code).toBe('workspace-full');
  await eventually(() => expect(readdirSync(files.workspace).toSorted()).toEqual(['a', 'c', 'x']));
  const other = await session();
  await other.put('d/b', Buffer.alloc(2000, 'b'));
  const body = new Uint8Array(await (await other.send('GET', 'archive')).arrayBuffer());
  const unpacked = await files.ask('PUT', 'archive', { body });
  expect(unpacked.json()).toMatchObject({ files: 2, omissions: { 'd/b': 'session-limit' } });
  expect(existsSync(join(files.workspace, 'd/b'))).toBe(true);
});

test('a hostile archive changes neither workspace nor world', async () => {
  const files = await session();
  for (const { name, format, bytes } of hostileArchives()) {
    const answer = await files.ask('PUT', 'archive', { query: { format }, body: bytes });
    expect([name, answer.code]).toEqual([name, expect.stringMatching(/^(archive-refused|body-too-large)$/)]);
    expect([name, readdirSync(files.workspace)]).toEqual([name, ['x']]);
  }
  expect([await world(files), (await files.get('x')).text]).toEqual([untouched, 'old']);
});

test('every operation on files reports a session that has ended, was deleted or does not exist', async () => {
  const files = await session();
  const every = () =>
    Promise.all([
      files.get('x'),
      files.put('x', 'new'),
      files.remove('x'),
      files.list(),
      files.move('x', 'y'),
      files.makeDirectory('d'),
      files.ask('GET', 'archive'),
      files.ask('PUT', 'archive', { body: Buffer.alloc(1024) }),
    ]);
  await holdfast.request('POST', `/v1/sessions/${files.sessionId}/complete`);
  for (const answer of await every()) expect(answer.code).toBe('session-ended');
  expect(await world(files)).toEqual(untouched);
  await holdfast.request('DELETE', `/v1/sessions/${files.sessionId}`);
  for (const answer of await every()) expect(answer.code).toBe('session-ended');
  const unknown = filesClient(holdfast, 'ses_00000000000000000000000000');
  expect([(await unknown.get('x')).code, (await unknown.put('x', '')).code]).toEqual(['not-found', 'not-found']);
});
