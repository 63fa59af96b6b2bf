import type { Session, Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { type GovernedSession, governed, governedSession, text } from './governed-session.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

const places = () => ({ installation, holdfast, db: installation.database.db });
const idOf = (step: Step) => step.proposals[0]?.id ?? '';
const post = (id: string, rest: string, body?: object) => holdfast.request('POST', `/v1/sessions/${id}${rest}`, body);

/** Everything that code finds: files as `text`, executable ones with `+x`, and directories. */
async function found(one: GovernedSession): Promise<Record<string, string>> {
  const { stdout } = await one.run(`import os, hashlib, json
tree = {}
for folder, folders, names in os.walk("."):
  for name in folders: tree[os.path.relpath(os.path.join(folder, name))] = "/"
  for name in names:
    path = os.path.join(folder, name)
    digest = hashlib.sha256(open(path, "rb").read()).hexdigest()[:12]
    tree[os.path.relpath(path)] = digest + (" +x" if os.stat(path).st_mode & 0o100 else "")
print(json.dumps(tree))`);
  return JSON.parse(stdout);
}

const changing = `import os
open("a", "w").write("2"); os.remove("gone"); os.mkdir("d"); open("d/run", "w").write("run"); os.chmod("d/run", 0o755)`;
const changed = { a: text('2'), d: '/', 'd/run': text('run', true) };

/** A session with one open proposal, which hides a file, and what code sees of it. */
async function withProposal(body: object = {}) {
  const policy = { world: { proposalMode: true, readPatterns: ['a', 'gone', 'd/**', 'e'] } };
  const one = await governedSession(places(), { policy, files: { a: '1', gone: 'gone', hidden: 'h' }, ...body });
  const id = idOf(await one.run(changing));
  expect(await found(one)).toEqual(changed);
  return { one, id, world: { a: text('1'), gone: text('gone'), hidden: text('h') } };
}

/** The proposal is as it was, and a rejection puts back what was there before. */
async function isWhole(one: GovernedSession, id: string, world: Record<string, string>): Promise<void> {
  expect(await found(one)).toEqual(changed);
  expect(await one.world()).toEqual(world);
  expect((await one.run('x = 1')).proposals).toEqual([]);
  const second = await one.run('open("e", "w").write("e")');
  expect(second.proposals).toMatchObject([{ number: 2, changes: [{ path: 'e' }] }]);
  expect((await one.reject(id)).status).toBe(200);
  expect(await found(one)).toEqual({ a: text('1'), gone: text('gone'), e: text('e') });
}

test('a new sandbox after a loss has the world with the open proposals, and nothing that is hidden', async () => {
  const { one, id, world } = await withProposal({ recovery: 'auto' });
  process.kill(await agentOf(holdfast, one.id), 'SIGKILL');
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${one.id}/contexts`);
    const session: Session = (await holdfast.request('GET', `/v1/sessions/${one.id}`)).body;
    expect(session).toMatchObject({ status: 'active', epoch: 2 });
  }, 60_000);
  await isWhole(one, id, world);
}, 120_000);

test('a pause and a resume keep open proposals, and a paused session can have them decided', async () => {
  const { one, id, world } = await withProposal();
  const other = idOf(await one.run('open("e", "w").write("e")'));
  expect((await post(one.id, '/pause')).status).toBe(200);
  expect((await one.reject(other)).body).toMatchObject({ status: 'rejected' });
  expect((await one.commit(id, { paths: ['d/run'] })).body).toMatchObject({ status: 'open' });
  expect((await post(one.id, '/resume')).status).toBe(200);
  expect(await found(one)).toEqual(changed);
  expect(await one.world()).toEqual({ ...world, 'd/run': text('run', true) });
  expect((await one.reject(id)).status).toBe(200);
  expect(await found(one)).toEqual({ a: text('1'), gone: text('gone'), d: '/', 'd/run': text('run', true) });
}, 120_000);

test('a fork begins with the open proposals of its session, which decides its own', async () => {
  const { one, id, world } = await withProposal();
  const { status, body } = await post(one.id, '/fork', {});
  expect(status).toBe(201);
  const fork = governed(places(), body.items[0].id);
  const [copy = '', ...more] = await fork.open();
  expect([more, copy === id, await fork.world()]).toEqual([[], false, world]);
  await one.commit(id);
  expect(await fork.read(copy)).toMatchObject({ status: 'open', number: 1, stepId: null, changeCount: 4 });
  await isWhole(fork, copy, world);
  expect(await found(one)).toEqual(changed);
}, 120_000);

test('a snapshot has the world alone, since no session begins with files that a host has not approved', async () => {
  const { one } = await withProposal();
  const snapshot = await post(one.id, '/snapshots', { contextId: 'python' });
  expect(snapshot.status).toBe(201);
  const next = await holdfast.createSession({ fromSnapshot: snapshot.body.id });
  expect(await governed(places(), next.id).world()).toEqual({ a: text('1'), gone: text('gone'), hidden: text('h') });
}, 120_000);
