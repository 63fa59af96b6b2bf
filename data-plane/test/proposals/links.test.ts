import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { governed, governedSession, proposing, text } from './governed-session.ts';

let installation: Installation;
let holdfast: Holdfast;
let db: Database;
let outside: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  db = installation.database.db;
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-outside-')));
  writeFileSync(join(outside, 'secret'), 'secret');
}, 120_000);
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  rmSync(outside, { recursive: true, force: true });
}, 120_000);

const session = (body: object = {}) => governedSession({ installation, holdfast, db }, { policy: proposing, ...body });

const targets = async (sessionId: string) =>
  Object.fromEntries(
    (await listWorldFiles(db, { sessionId })).flatMap(({ path, target }) => (target ? [[path, target]] : [])),
  );

const proposalOf = (step: { proposals: readonly { id: string }[] }): string => step.proposals[0]?.id ?? '';

test('a link is a change of its own: proposed with its target, committed, restored in a new sandbox, taken away by a rejection', async () => {
  const one = await session();
  const made = await one.run('import os; open("v1", "w").write("1"); os.symlink("v1", "current")');
  const { changes } = await one.read(proposalOf(made));
  const link = changes.find(({ path }) => path === 'current');
  expect(link).toMatchObject({ kind: 'link', change: 'created', before: null, after: { target: 'v1', size: 2 } });
  expect(link?.diff).toBe(
    'diff --git a/current b/current\nnew file mode 120000\n--- /dev/null\n+++ b/current\n@@ -0,0 +1,1 @@\n+v1\n\\ No newline at end of file\n',
  );
  expect(made.artifacts.map(({ path, omission }) => [path, omission])).toEqual([
    ['current', 'not-a-file'],
    ['v1', null],
  ]);
  await one.commit(proposalOf(made));
  expect(await targets(one.id)).toEqual({ current: 'v1' });
  await holdfast.request('POST', `/v1/sessions/${one.id}/pause`);
  await holdfast.request('POST', `/v1/sessions/${one.id}/resume`);
  expect((await one.run('print(open("current").read())')).stdout).toBe('1\n');
  expect(one.workingCopy(2)).toEqual({ current: '-> v1', v1: text('1') });
  const changed = await one.run('os.remove("current"); os.symlink("v2", "current"); os.symlink("x", "new")');
  expect((await one.read(proposalOf(changed))).changes.map(({ path, kind, change }) => [path, kind, change])).toEqual([
    ['current', 'link', 'modified'],
    ['new', 'link', 'created'],
  ]);
  await one.reject(proposalOf(changed));
  expect(one.workingCopy(2)).toEqual({ current: '-> v1', v1: text('1') });
  const removed = await one.run('os.remove("current")');
  await one.reject(proposalOf(removed));
  expect(one.workingCopy(2)).toEqual({ current: '-> v1', v1: text('1') });
  await one.commit(proposalOf(await one.run('os.remove("current")')));
  expect(await targets(one.id)).toEqual({});
}, 120_000);

test('a link in place of a file, a file in place of a link, and a link in place of a directory are rejected and committed as a whole', async () => {
  const one = await session();
  const made = await one.run(
    'import os, shutil; open("f", "w").write("f"); os.symlink("f", "l"); os.mkdir("d"); open("d/x", "w").write("x")',
  );
  await one.commit(proposalOf(made));
  const before = one.workingCopy();
  const code = `os.remove("f"); os.symlink("d", "f"); os.remove("l"); open("l", "w").write("l")
os.mkdir("e"); open("e/x", "w").write("other"); shutil.rmtree("d"); os.symlink("e", "d")`;
  await one.reject(proposalOf(await one.run(code)));
  expect(one.workingCopy()).toEqual(before);
  const again = await one.run(code);
  const after = one.workingCopy();
  expect((await one.commit(proposalOf(again))).status).toBe(200);
  expect(await targets(one.id)).toEqual({ d: 'e', f: 'd' });
  expect(await one.world()).toMatchObject({ 'e/x': text('other'), l: text('l') });
  await holdfast.request('POST', `/v1/sessions/${one.id}/pause`);
  await holdfast.request('POST', `/v1/sessions/${one.id}/resume`);
  await one.run('pass');
  expect(one.workingCopy(2)).toEqual(after);
}, 120_000);

test('links that leave the workspace, lead in circles or nowhere are kept as text and never followed', async () => {
  const one = await session();
  const made = await one.run(`import os
os.symlink(${JSON.stringify(outside)}, "out"); os.symlink("a", "b"); os.symlink("b", "a"); os.symlink("/nowhere", "none")
os.symlink("x" * 4000, "long"); os.symlink("..", "up")`);
  const { changes } = await one.read(proposalOf(made));
  expect(changes.every(({ kind, diff }) => kind === 'link' && diff !== null)).toBe(true);
  expect(JSON.stringify(changes)).not.toContain('secret');
  await one.commit(proposalOf(made));
  expect(Object.keys(await targets(one.id))).toEqual(['a', 'b', 'long', 'none', 'out', 'up']);
  const ran = await one.run(`os.remove("out"); os.mkdir("out"); open("out/secret", "w").write("mine")`);
  await one.reject(proposalOf(ran));
  expect(one.workingCopy().out).toBe(`-> ${outside}`);
  const through = await one.run('open("out/secret", "a").write("!")');
  expect(through.proposals).toEqual([]);
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret!');
  const read = await one.run('import holdfast\nholdfast.call("world.read", "out")');
  expect(read.error?.message).toContain('is a link to');
}, 60_000);

test('a session without a policy keeps its links, also in a fork, and a rule puts them back', async () => {
  const { id } = await holdfast.createSession({});
  const one = governed({ installation, holdfast, db }, id);
  await one.run('import os; os.mkdir("d"); open("d/f", "w").write("f"); os.symlink("d/f", "l"); os.symlink("d", "e")');
  expect(await targets(id)).toEqual({ e: 'd', l: 'd/f' });
  const forked = (await holdfast.request('POST', `/v1/sessions/${id}/fork`, {})).body.items[0].id;
  const fork = governed({ installation, holdfast, db }, forked);
  expect((await fork.run('print(open("l").read(), open("e/f").read())')).stdout).toBe('f f\n');
  await holdfast.request('PATCH', `/v1/sessions/${id}`, { policy: { world: { readOnly: true } } });
  const before = one.workingCopy();
  const ran = await one.run('os.remove("l"); os.symlink("/etc/passwd", "l"); os.remove("e"); os.symlink("x", "new")');
  expect(ran.artifacts.map(({ path, rule }) => [path, rule])).toEqual([
    ['e', 'world.readOnly'],
    ['l', 'world.readOnly'],
    ['new', 'world.readOnly'],
  ]);
  expect(one.workingCopy()).toEqual(before);
}, 60_000);

test('a socket or a pipe that a step makes is rejected with it, and stays in the working copy after a commit', async () => {
  const one = await session({ files: { f: 'f' } });
  const make = `import os, socket
os.mkfifo("pipe"); s = socket.socket(socket.AF_UNIX); s.bind("socket"); os.remove("f"); os.mkfifo("f")`;
  const made = await one.run(make);
  const { changes } = await one.read(proposalOf(made));
  expect(changes.map(({ path, kind, change }) => [path, kind, change])).toEqual([
    ['f', 'special', 'created'],
    ['pipe', 'special', 'created'],
    ['socket', 'special', 'created'],
    ['f', 'file', 'deleted'],
  ]);
  expect((await one.reject(proposalOf(made))).status).toBe(200);
  expect(one.workingCopy()).toEqual({ f: text('f') });
  const again = await one.run('os.mkfifo("pipe")');
  expect((await one.commit(proposalOf(again))).body).toMatchObject({ status: 'committed' });
  expect(await one.world()).toEqual({ f: text('f') });
  expect((await one.run('os.remove("pipe")')).proposals).toEqual([]);
});

test('a write of the host follows no link if a rule hides a part of the world, since the link could lead there', async () => {
  const one = await session({ policy: { world: { readPatterns: ['open/**', 'link', 'other'] } } });
  await one.run('import os; os.symlink("hidden/x", "link"); os.mkdir("open"); os.symlink("../hidden", "open/d")');
  for (const path of ['link', 'open/d/x'])
    expect([path, (await one.files.put(path, 'x')).code]).toEqual([path, 'path-conflict']);
  expect(one.workingCopy()).toEqual({ link: '-> hidden/x', open: '/', 'open/d': '-> ../hidden' });
  expect((await one.files.put('open/e/x', 'x')).status).toBe(201);
  expect((await one.files.move('open/e/x', 'open/d/x')).code).toBe('path-conflict');
  const makeDirectory = async (path: string) =>
    (await holdfast.request('POST', `/v1/sessions/${one.id}/directories`, { path })).status;
  expect(await Promise.all(['open/d/new', 'hidden/new', 'open/g/new'].map(makeDirectory))).toEqual([409, 403, 201]);
  expect(one.workingCopy()).not.toHaveProperty('hidden');
  expect((await one.files.move('open/e/x', 'open/f/x')).status).toBe(204);
  await holdfast.request('PATCH', `/v1/sessions/${one.id}`, { policy: 'unrestricted' });
  expect((await one.files.put('link', 'x')).status).toBe(201);
}, 60_000);

test('an archive that is unpacked behind a link is in the world at the place to which the link leads', async () => {
  const { id } = await holdfast.createSession({ files: { 'from/x': 'x' } });
  const one = governed({ installation, holdfast, db }, id);
  await one.run('import os; os.mkdir("d"); os.symlink("d", "e")');
  const archive = new Uint8Array(
    await (await one.files.send('GET', 'archive', { query: { path: 'from' } })).arrayBuffer(),
  );
  const unpacked = await one.files.ask('PUT', 'archive', { query: { path: 'e' }, body: archive });
  expect([unpacked.status, unpacked.text]).toEqual([200, expect.any(String)]);
  const before = one.workingCopy();
  expect(before).toMatchObject({ e: '-> d', 'd/x': text('x') });
  await holdfast.request('POST', `/v1/sessions/${id}/pause`);
  await holdfast.request('POST', `/v1/sessions/${id}/resume`);
  await one.run('pass');
  expect(one.workingCopy(2)).toEqual(before);
  expect(await targets(id)).toEqual({ e: 'd' });
}, 60_000);

test('a directory that is made behind a link is in the world at the place to which the link leads', async () => {
  const { id } = await holdfast.createSession({});
  const one = governed({ installation, holdfast, db }, id);
  await one.run('import os; os.mkdir("d"); os.symlink("d", "e")');
  expect((await one.files.makeDirectory('e/new')).status).toBe(201);
  expect(one.workingCopy()).toEqual({ d: '/', 'd/new': '/', e: '-> d' });
  // The next writer compares the world with the working copy first.
  await one.files.put('f', 'f');
  expect(await targets(id)).toEqual({ e: 'd' });
}, 60_000);
