import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FilesClient, filesClient, workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { client, type Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let files: FilesClient;
/** A folder of its own for each test. */
let scratch: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_UPLOAD_BYTES_MAX: '1000000' });
  files = filesClient(holdfast, (await holdfast.createSession({ language: 'bash' })).id);
}, 60_000);
afterAll(async () => await installation[Symbol.asyncDispose]());
beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-scratch-')));
  return () => rmSync(scratch, { recursive: true });
});

/** Operations and their arguments in the audit log from now on. */
async function auditFrom(): Promise<() => Promise<[string, unknown][]>> {
  const read = async () =>
    await installation.database.db.sql<{ operation: string; arguments: unknown }[]>`
      select operation, arguments from audit_entries where session_id = ${files.sessionId} order by id`;
  const before = (await read()).length;
  return async () => (await read()).slice(before).map(({ operation, arguments: given }) => [operation, given]);
}

test('files outside the workspace are written, listed, read, moved and deleted, each change with an entry in the audit log', async () => {
  const audit = await auditFrom();
  const at = (path: string) => `${scratch}/${path}`;
  const written = await files.put(at('a/x y'), 'hello');
  const sha256 = createHash('sha256').update('hello').digest('hex');
  expect([written.status, written.json()]).toEqual([201, { path: at('a/x y'), size: 5, sha256 }]);
  const inOnePart = await files.ask('GET', `files/${encodeURIComponent(at('a/x y'))}`);
  expect([inOnePart.status, inOnePart.text]).toEqual([200, 'hello']);
  expect((await files.get(at('a/x y'), { range: 'bytes=1-2' })).text).toBe('el');
  expect((await files.list({ path: scratch, depth: '2' })).json().items).toMatchObject([
    { path: at('a'), kind: 'directory' },
    { path: at('a/x y'), kind: 'file', size: 5 },
  ]);
  expect((await files.ask('GET', 'stat', { query: { path: at('a/x y') } })).json()).toMatchObject({
    path: at('a/x y'),
    kind: 'file',
    size: 5,
    linkTarget: null,
  });
  expect((await files.makeDirectory(at('b'))).status).toBe(201);
  expect((await files.move(at('a/x y'), at('b/z'))).status).toBe(204);
  const packed = await (await files.send('GET', 'archive', { query: { path: at('b') } })).arrayBuffer();
  const unpacked = await files.ask('PUT', 'archive', { query: { path: at('c') }, body: Buffer.from(packed) });
  expect(unpacked.json()).toEqual({ files: 1, bytes: 5, omissions: {} });
  expect((await files.remove(at('c'), { recursive: 'true' })).status).toBe(204);
  expect(readFileSync(at('b/z'), 'utf8')).toBe('hello');
  expect(await audit()).toEqual([
    ['file.write', { path: at('a/x y') }],
    ['file.make-directory', { path: at('b') }],
    ['file.move', { from: at('a/x y'), to: at('b/z') }],
    ['file.unpack', { path: at('c') }],
    ['file.delete', { path: at('c') }],
  ]);
});

test('a change that the sandbox refuses is not in the audit log', async () => {
  const audit = await auditFrom();
  expect((await files.remove(`${scratch}/missing`)).status).toBe(404);
  expect((await files.put(scratch, 'x')).code).toBe('path-conflict');
  expect((await files.put(`${scratch}/x`, Buffer.alloc(1_000_001))).status).toBe(413);
  expect(await audit()).toEqual([]);
});

test('a body without a length is not written beyond the limit', async () => {
  const body = async function* () {
    for (let piece = 0; piece < 11; piece++) yield Buffer.alloc(100_000);
  };
  expect((await files.put(`${scratch}/x`, body())).code).toBe('body-too-large');
  expect((await files.list({ path: scratch })).json().items).toEqual([]);
});

test('code and the host share files outside the workspace, which are neither in the world nor artifacts', async () => {
  await files.put(`${scratch}/from-host`, 'host');
  const step = await holdfast.runStep(files.sessionId, {
    code: `cat ${scratch}/from-host; echo code > ${scratch}/from-code`,
  });
  expect([step.stdout, step.artifacts]).toEqual(['host', []]);
  expect((await files.get(`${scratch}/from-code`)).text).toBe('code\n');
  const [{ count } = { count: -1 }] = await installation.database.db.sql`
    select count(*)::int as count from world_files where session_id = ${files.sessionId}`;
  expect(count).toBe(0);
});

test('a change outside the workspace does not make the changes of a running step concurrent', async () => {
  const running = holdfast.runStep(files.sessionId, {
    code: `until [ -e ${scratch}/go ]; do sleep 0.05; done; echo x > from-step`,
  });
  await files.put(`${scratch}/go`, '');
  expect((await running).artifacts).toMatchObject([{ path: 'from-step', concurrent: false }]);
});

test('nothing moves between the workspace and another root', async () => {
  await files.put('in', 'x');
  await files.put(`${scratch}/out`, 'x');
  expect((await files.move('in', `${scratch}/in`)).code).toBe('outside-workspace');
  expect((await files.move(`${scratch}/out`, 'out')).code).toBe('outside-workspace');
});

test("the process runtime gives access to neither its machine's home directory nor the workspace as a part of /tmp", async () => {
  writeFileSync(join(scratch, 'x'), 'readable');
  expect((await files.get(`${scratch}/x`)).text).toBe('readable');
  expect((await files.list({ path: homedir() })).code).toBe('outside-workspace');
  const workspace = workspaceOf(installation.dataDir, files.sessionId);
  expect((await files.put(`${workspace}/past-the-world`, 'x')).code).toBe('outside-workspace');
});

test('a list of a file is a fault of the request', async () => {
  await files.put('a-file', 'x');
  for (const path of ['a-file', '/workspace/a-file']) {
    const { status, code } = await files.list({ path });
    expect([status, code]).toEqual([400, 'invalid-request']);
  }
});

test('a policy that guards the world leaves the files outside it to the host', async () => {
  const policy = { world: { readOnly: true, readPatterns: ['src/**'] } };
  const { id } = await holdfast.createSession({ language: 'bash', policy });
  const governed = filesClient(holdfast, id);
  expect((await governed.put(`${scratch}/x`, 'x')).status).toBe(201);
  const step = await holdfast.runStep(id, { code: `echo more >> ${scratch}/x; echo x > src` });
  expect(step.artifacts).toMatchObject([{ path: 'src', omission: 'refused' }]);
  expect((await governed.get(`${scratch}/x`)).text).toBe('xmore\n');
});

test('a share link to watch shows files of the workspace alone', async () => {
  await files.put('shared', 'x');
  await files.put(`${scratch}/x`, 'x');
  const { body } = await holdfast.request('POST', `/v1/sessions/${files.sessionId}/shares`, {
    access: 'watch',
    expiresSeconds: 600,
  });
  const guest = client(holdfast.url, { authorization: `Bearer ${body.token}` });
  const asked = async (path: string) => (await guest.request('GET', `/v1/sessions/${files.sessionId}/${path}`)).status;
  expect(await asked('files?path=')).toBe(200);
  expect(await asked(`files?path=${scratch}`)).toBe(403);
  expect(await asked(`files/${scratch}/x`)).toBe(403);
  expect(await asked(`files/${encodeURIComponent(`${scratch}/x`)}`)).toBe(403);
  expect(await asked(`stat?path=${scratch}/x`)).toBe(403);
});
