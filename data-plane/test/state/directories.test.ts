import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { filesClient, workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { agentOf } from './kill-sandbox.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_TRANSFER_KEY: randomBytes(32).toString('base64') });
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

const post = (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body);
const bash = (id: string, code: string) => holdfast.runStep(id, { code, language: 'bash' });

/** The directories of a session with `/` and its executable files with `*`, sorted. */
async function treeOf(id: string): Promise<string[]> {
  const find = 'find . -mindepth 1 -type d -printf "%P/\\n" -o -perm -u+x -printf "%P*\\n" | LC_ALL=C sort';
  return (await bash(id, find)).stdout.trim().split('\n');
}

const made =
  'mkdir -p out a/b/c gone/below && echo 1 > a/file && printf "#!/bin/sh\\necho ran" > run.sh && chmod +x run.sh';
const changed = 'rm -r gone && mkdir -p later/below && rm a/file && cp run.sh later/ && cp run.sh was && chmod -x was';
const tree = ['a/', 'a/b/', 'a/b/c/', 'later/', 'later/below/', 'later/run.sh*', 'out/', 'run.sh*'];

/** A session with the tree, made in two steps. */
async function prepared(body: object = {}): Promise<string> {
  const { id } = await holdfast.createSession({ language: 'bash', ...body });
  for (const code of [made, changed]) {
    const step = await bash(id, code);
    expect(step, step.stderr).toMatchObject({ status: 'succeeded' });
  }
  return id;
}

/** Kills the sandbox of a session, and waits until it has another one. */
async function recovered(id: string): Promise<void> {
  process.kill(await agentOf(holdfast, id, 'bash'), 'SIGKILL');
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'active', epoch: 2 });
  }, 20_000);
}

const expectTree = async (id: string) => {
  expect(await treeOf(id)).toEqual(tree);
  expect((await bash(id, 'echo x > out/x && ./run.sh && cat was')).stdout).toBe('ran\n#!/bin/sh\necho ran');
};

test('a recovery brings back directories, also empty ones, and executable files, and nothing that was removed', async () => {
  const id = await prepared({ recovery: 'auto' });
  await recovered(id);
  await expectTree(id);
}, 60_000);

test('directories are neither artifacts nor events', async () => {
  const { id } = await holdfast.createSession();
  const step = await bash(id, 'mkdir -p out/below && rmdir out/below');
  expect(step.artifacts ?? []).toEqual([]);
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}/artifacts`);
  expect(body.items).toEqual([]);
});

test('a pause and a resume bring back the same, also what a process changed outside of any step', async () => {
  const id = await prepared();
  await bash(id, '(sleep 1; mkdir -p background/below; chmod -x later/run.sh; rmdir out; touch background/done) &');
  // Without a step, which would report it.
  const done = join(workspaceOf(installation.dataDir, id), 'background/done');
  await eventually(() => expect(existsSync(done)).toBe(true));
  for (let times = 0; times < 2; times++) {
    expect(await post(id, '/pause', { force: true })).toMatchObject({ status: 200 });
    expect(await post(id, '/resume')).toMatchObject({ status: 200 });
  }
  const without = tree.filter((path) => path !== 'later/run.sh*' && path !== 'out/');
  expect(await treeOf(id)).toEqual([...without, 'background/', 'background/below/'].toSorted());
}, 60_000);

test('forks, sessions from snapshots and those from a snapshot of another deployment begin with the same', async () => {
  const id = await prepared();
  const forked = await post(id, '/fork', { count: 2 });
  expect(forked, JSON.stringify(forked.body)).toMatchObject({ status: 201 });
  const { body: snapshot } = await post(id, '/snapshots');
  await bash(id, 'mkdir after && rmdir out');
  await holdfast.request('POST', '/v1/snapshots', { name: 'tree', snapshotId: snapshot.id });
  const archive = await fetch(`${holdfast.url}/v1/snapshots/tree/archive`);
  const moved = await fetch(`${holdfast.url}/v1/snapshots/moved-tree/archive`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(await archive.arrayBuffer()),
  });
  expect(moved.status, await moved.text()).toBe(201);
  const ids: string[] = forked.body.items.map((one: Session) => one.id);
  for (const fromSnapshot of [snapshot.id, 'tree', 'moved-tree'])
    ids.push((await holdfast.createSession({ language: 'bash', fromSnapshot })).id);
  for (const one of ids) await expectTree(one);
  const [first = ''] = ids;
  expect(await post(first, '/pause')).toMatchObject({ status: 200 });
  expect(await post(first, '/resume')).toMatchObject({ status: 200 });
  expect(await treeOf(first)).toEqual(tree);
}, 120_000);

test('directories that the host makes, moves, unpacks and deletes are in a new sandbox as they are in the old one', async () => {
  const { id } = await holdfast.createSession({ language: 'bash', recovery: 'auto', files: { 'first/file': 'x' } });
  const files = filesClient(holdfast, id);
  for (const path of ['made/below', 'moved/below', 'deleted/below', 'packed/below', 'packed/other'])
    expect((await files.makeDirectory(path)).status).toBe(201);
  expect((await files.makeDirectory('made/below')).status).toBe(204);
  await bash(id, 'printf x > packed/run && chmod 755 packed/run');
  const query = { format: 'tar' };
  const packed = await files.send('GET', 'archive', { query: { ...query, path: 'packed' } });
  const body = new Uint8Array(await packed.arrayBuffer());
  expect((await files.ask('PUT', 'archive', { query: { ...query, path: 'unpacked/here' }, body })).status).toBe(200);
  await files.put('put/file', 'x');
  await files.put('packed/run', 'y');
  await files.put('late', 'x');
  chmodSync(join(workspaceOf(installation.dataDir, id), 'late'), 0o755);
  await files.put('late', 'y');
  for (const path of ['put/file', 'first/file']) expect((await files.remove(path)).status).toBe(204);
  expect((await files.move('moved', 'to/there')).status).toBe(204);
  expect((await files.remove('deleted', { recursive: 'true' })).status).toBe(204);
  const before = await treeOf(id);
  expect(before).toEqual([
    'first/',
    'late*',
    'made/',
    'made/below/',
    'packed/',
    'packed/below/',
    'packed/other/',
    'packed/run*',
    'put/',
    'to/',
    'to/there/',
    'to/there/below/',
    'unpacked/',
    'unpacked/here/',
    'unpacked/here/below/',
    'unpacked/here/other/',
    'unpacked/here/run*',
  ]);
  // Without a comparison, so that the writes themselves must have recorded everything.
  await recovered(id);
  expect(await treeOf(id)).toEqual(before);
}, 60_000);

test('a step that makes more directories than it may change says so, and a pause still saves all of them', async () => {
  const { id } = await holdfast.createSession();
  const step = await bash(id, 'for i in $(seq 110); do mkdir -p $i/$(printf "d/%.0s" $(seq 100)); done');
  expect(step.artifacts).toMatchObject([{ path: '', omission: 'too-many' }]);
  expect(await post(id, '/pause')).toMatchObject({ status: 200 });
  expect(await post(id, '/resume')).toMatchObject({ status: 200 });
  expect((await bash(id, 'find . -mindepth 1 -type d | wc -l')).stdout).toBe('11110\n');
}, 120_000);
