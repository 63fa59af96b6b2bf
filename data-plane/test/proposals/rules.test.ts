import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { workspaceOf } from '../support/files-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { type GovernedSession, governedSession, text } from './governed-session.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

const session = (world: object, body: object = {}) =>
  governedSession({ installation, holdfast, db: installation.database.db }, { policy: { world }, ...body });

const refused = (step: Step) => step.artifacts.flatMap(({ path, rule }) => (rule ? [[path, rule]] : []));
const files = { 'a.txt': 'a', 'd/b.txt': 'b', 'src/c.py': 'c' };
const before = { 'a.txt': text('a'), 'd/b.txt': text('b'), 'src/c.py': text('c') };
const whole = { ...before, d: '/', src: '/' };

/** Marks the world, and has it compared with the working copy by the next write. */
async function settle({ id, files }: GovernedSession): Promise<void> {
  await installation.database.db.sql`
    insert into worlds (session_id, is_unsettled) values (${id}, true)
    on conflict (session_id) do update set is_unsettled = true`;
  await files.remove('missing');
}

const attacks = {
  'changes bytes, modes and names': `import os, shutil
open("a.txt", "w").write("x"); os.chmod("d/b.txt", 0o755); os.rename("src/c.py", "src/e.py")
os.makedirs("new/deep"); open("new/deep/f", "w").write("f"); os.symlink("/etc", "link"); os.mkfifo("pipe")`,
  'puts a link in place of a directory': `import os
os.rename("d", "e"); os.symlink("e", "d"); open("d/b.txt", "w").write("through the link")`,
  'puts a directory in place of a file and a file in place of a directory': `import os, shutil
os.remove("a.txt"); os.makedirs("a.txt/in"); open("a.txt/in/f", "w").write("f")
shutil.rmtree("src"); open("src", "w").write("no directory")`,
  'removes everything': `import shutil, os
os.remove("a.txt"); shutil.rmtree("d"); shutil.rmtree("src")`,
};

test.each(Object.entries(attacks))(
  'a read-only world and its working copy stay as they are if code %s',
  async (_, code) => {
    const one = await session({ readOnly: true }, { files });
    const step = await one.run(code);
    expect(step.error).toBeNull();
    expect(one.workingCopy()).toEqual(whole);
    expect(await one.world()).toEqual(before);
    expect(new Set(refused(step).map(([, rule]) => rule))).toEqual(new Set(['world.readOnly']));
    const { outcome } = step as Step & { outcome: { refusedChanges: { count: number } } };
    expect(outcome).toMatchObject({ tag: 'ok', refusedChanges: { rules: ['world.readOnly'] } });
    expect(outcome.refusedChanges.count).toBeGreaterThanOrEqual(refused(step).length);
    expect(step.artifacts.every(({ omission, url }) => omission === 'refused' && url === null)).toBe(true);
    expect((await one.run('x = 1')).artifacts).toEqual([]);
    const audit = await holdfast.request('GET', `/v1/sessions/${one.id}/audit?operation=world.change`);
    expect(audit.body.items).toMatchObject([
      { decision: 'denied', rule: 'world.readOnly', stepId: step.id, actor: 'agent' },
    ]);
  },
);

test('only what the write patterns match reaches the world; the rest is put back, and a directory may be made for what may come', async () => {
  const one = await session({ writePatterns: ['src/**/*.py', 'out/*'] }, { files });
  const step = await one.run(`import os
open("src/c.py", "w").write("new"); open("src/c.txt", "w").write("no"); open("a.txt", "a").write("no")
os.makedirs("out"); os.makedirs("other"); os.remove("d/b.txt")`);
  expect(refused(step)).toEqual([
    ['a.txt', 'world.writePatterns'],
    ['d/b.txt', 'world.writePatterns'],
    ['src/c.txt', 'world.writePatterns'],
  ]);
  expect(step.outcome).toEqual({ tag: 'ok', refusedChanges: { count: 4, rules: ['world.writePatterns'] } });
  expect(one.workingCopy()).toEqual({ ...whole, 'src/c.py': text('new'), out: '/' });
  expect(await one.world()).toEqual({ ...before, 'src/c.py': text('new') });
  await one.run('open("out/x", "w").write("x")');
  expect(await one.world()).toMatchObject({ 'out/x': text('x') });
});

test('a file cannot come in place of others that may not be removed', async () => {
  const one = await session({ writePatterns: ['a.txt/*', 'src', 'd/b.txt'] }, { files });
  const step = await one.run(`import os, shutil
os.remove("a.txt"); os.mkdir("a.txt"); open("a.txt/f", "w").write("f")
shutil.rmtree("src"); open("src", "w").write("a file")`);
  expect(Object.fromEntries(refused(step))).toMatchObject({
    'a.txt': 'world.writePatterns',
    'a.txt/f': 'world.writePatterns',
  });
  expect(one.workingCopy()).toEqual(whole);
  expect(await one.world()).toEqual(before);
});

test('files that the read patterns hide are not in the sandbox, and code can neither replace nor delete them', async () => {
  const one = await session({ readPatterns: ['a.txt', 'src/**'] }, { files });
  expect(one.workingCopy()).toEqual({ 'a.txt': text('a'), src: '/', 'src/c.py': text('c') });
  const step = await one.run(
    'import os\nos.mkdir("d")\nopen("d/b.txt", "w").write("guess")\nopen("d/n", "w").write("n")',
  );
  expect(refused(step)).toEqual([
    ['d/b.txt', 'world.readPatterns'],
    ['d/n', 'world.readPatterns'],
  ]);
  expect(one.workingCopy()).toEqual({ 'a.txt': text('a'), src: '/', 'src/c.py': text('c') });
  await one.run('open("d", "w").write("in place of a directory")');
  await settle(one);
  expect(await one.world()).toEqual(before);
  expect(await one.files.put('d/b.txt', 'host')).toMatchObject({ status: 403, code: 'policy-denied' });
  expect(await one.files.move('a.txt', 'd/a.txt')).toMatchObject({ status: 403, code: 'policy-denied' });
  expect(await one.files.ask('PUT', 'archive', { query: { format: 'tar' }, body: Buffer.alloc(1024) })).toMatchObject({
    status: 403,
    code: 'policy-denied',
  });
  expect(await one.world()).toEqual(before);
});

test('a change of the read patterns takes files out of the working copy, or brings them in', async () => {
  const one = await session({}, { files });
  const patch = (readPatterns: string[]) =>
    holdfast.request('PATCH', `/v1/sessions/${one.id}`, { policy: { world: { readPatterns } } });
  expect((await patch(['a.txt'])).status).toBe(200);
  await eventually(async () => expect(one.workingCopy()).toEqual({ 'a.txt': text('a') }), 20_000);
  await one.run('open("a.txt", "w").write("new")');
  expect((await patch(['**'])).status).toBe(200);
  const now = { ...before, 'a.txt': text('new') };
  await eventually(async () => expect(one.workingCopy()).toEqual({ ...now, d: '/', src: '/' }), 20_000);
  expect(await one.world()).toEqual(now);
});

test('a late write of a background thread is found by a comparison, and put back', async () => {
  const one = await session({ readOnly: true }, { files });
  const root = workspaceOf(installation.dataDir, one.id);
  writeFileSync(join(root, 'a.txt'), 'late');
  chmodSync(join(root, 'src/c.py'), 0o755);
  rmSync(join(root, 'd'), { recursive: true });
  writeFileSync(join(root, 'late.txt'), 'late');
  await settle(one);
  expect(one.workingCopy()).toEqual(whole);
  expect(await one.world()).toEqual(before);
});

test('steps of two contexts that overlap have their changes put back, each marked as concurrent', async () => {
  const one = await session({ readOnly: true }, { files });
  const { body: context } = await holdfast.request('POST', `/v1/sessions/${one.id}/contexts`, { language: 'python' });
  const code = (name: string) => `import time
for i in range(20):
  open("${name}", "a").write("x"); time.sleep(0.05)`;
  const [first, second] = await Promise.all([
    one.run(code('a.txt')),
    one.run(code('n.txt'), { contextId: context.id }),
  ]);
  const all = [...first.artifacts, ...second.artifacts];
  expect(new Set(all.map(({ path }) => path))).toEqual(new Set(['a.txt', 'n.txt']));
  expect(all.filter(({ concurrent }) => concurrent).length).toBeGreaterThan(0);
  await settle(one);
  expect(one.workingCopy()).toEqual(whole);
  expect(await one.world()).toEqual(before);
});

test('a job under read-only rules runs its program, which leaves nothing behind', async () => {
  const one = await session({ readOnly: true, readPatterns: ['a.txt'] }, { files });
  const { status, body } = await holdfast.request('POST', '/v1/run?inline=true', {
    sessionId: one.id,
    language: 'python',
    code: 'open("a.txt", "w").write("x"); print("done")',
  });
  expect([status, body.stdout]).toEqual([200, 'done\n']);
  expect(one.workingCopy()).toEqual({ 'a.txt': text('a') });
  expect(await one.world()).toEqual(before);
});
