import type { Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { governedSession, proposing, text } from './governed-session.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

const session = (files = {}) =>
  governedSession({ installation, holdfast, db: installation.database.db }, { policy: proposing, files });

const idOf = (step: Step) => step.proposals[0]?.id ?? '';
const conflict = (detail: string) => ({
  status: 409,
  body: { code: 'proposal-conflict', detail: expect.stringContaining(detail) },
});

test('open proposals stack: each begins with what the one before left, and they are committed in order', async () => {
  const one = await session({ a: '1' });
  const first = idOf(await one.run('open("a", "w").write("2"); open("b", "w").write("b")'));
  const second = idOf(await one.run('open("a", "w").write("3")'));
  const third = idOf(await one.run('import os; os.remove("b"); os.mkdir("b"); open("b/c", "w").write("c")'));
  const changes = (await one.read(second)).changes;
  expect(changes.map(({ before, after }) => [before?.size, after?.size, changes.length])).toEqual([[1, 1, 1]]);
  expect(changes[0]?.diff).toContain('-2');
  expect(await one.commit(second)).toMatchObject(conflict(first));
  expect(await one.commit(third)).toMatchObject(conflict(first));
  expect(await one.world()).toEqual({ a: text('1') });
  for (const id of [first, second]) expect((await one.commit(id)).status).toBe(200);
  expect(await one.world()).toEqual({ a: text('3'), b: text('b') });
  expect((await one.commit(third)).status).toBe(200);
  expect(await one.world()).toEqual({ a: text('3'), 'b/c': text('c') });
  expect(one.workingCopy()).toEqual({ a: text('3'), b: '/', 'b/c': text('c') });
});

test('a proposal that does not touch what earlier ones change is committed before them', async () => {
  const one = await session({ a: '1' });
  const first = idOf(await one.run('open("a", "w").write("2"); import os; os.mkdir("d")'));
  const second = idOf(await one.run('open("d/x", "w").write("x")'));
  expect((await one.commit(second)).status).toBe(200);
  expect(await one.world()).toEqual({ a: text('1'), 'd/x': text('x') });
  expect((await one.reject(first)).status).toBe(200);
  expect(one.workingCopy()).toEqual({ a: text('1'), d: '/', 'd/x': text('x') });
});

test('rejecting a proposal rejects what later ones built on it, and nothing else', async () => {
  const one = await session({ a: '1', gone: 'gone' });
  const first = idOf(await one.run('open("a", "w").write("2"); import os; os.remove("gone"); os.mkdir("new")'));
  const second = idOf(
    await one.run('open("a", "w").write("3"); open("new/f", "w").write("f"); open("own", "w").write("own")'),
  );
  const third = idOf(await one.run('os.mkdir("gone"); open("gone/in", "w").write("in")'));
  expect((await one.reject(first)).body).toMatchObject({ status: 'rejected' });
  expect(one.workingCopy()).toEqual({ a: text('1'), gone: text('gone'), own: text('own') });
  const statuses = Object.fromEntries((await one.read(second)).changes.map(({ path, status }) => [path, status]));
  expect(statuses).toEqual({ a: 'rejected', 'new/f': 'rejected', own: 'open' });
  expect(await one.read(third)).toMatchObject({ status: 'rejected' });
  expect((await one.commit(second)).body).toMatchObject({ status: 'committed' });
  expect(await one.world()).toEqual({ a: text('1'), gone: text('gone'), own: text('own') });
  expect((await one.run('x = 1')).proposals).toEqual([]);
});

test('single paths of a proposal are decided, if they make a tree without the others', async () => {
  const one = await session({ a: 'file', keep: 'k' });
  const id = idOf(
    await one.run(
      'import os\nos.remove("a"); os.mkdir("a"); open("a/b", "w").write("b"); open("keep", "w").write("new"); open("z", "w").write("z")',
    ),
  );
  expect(await one.commit(id, { paths: ['a/b'] })).toMatchObject(conflict('"a" is in the way'));
  expect(await one.commit(id, { paths: ['z', 'nothing'] })).toMatchObject({
    status: 400,
    body: { code: 'invalid-request', errors: [{ pointer: '/paths/1', detail: `${id} does not change "nothing"` }] },
  });
  expect((await one.commit(id, { paths: ['z', 'keep'] })).body).toMatchObject({ status: 'open' });
  expect(await one.world()).toEqual({ a: text('file'), keep: text('new'), z: text('z') });
  expect((await one.reject(id, { paths: ['a/b'] })).body).toMatchObject({ status: 'open' });
  expect(one.workingCopy()).toEqual({ a: '/', keep: text('new'), z: text('z') });
  expect((await one.reject(id)).body).toMatchObject({ status: 'committed', decidedBy: 'host' });
  expect(one.workingCopy()).toEqual({ a: text('file'), keep: text('new'), z: text('z') });
  expect(await one.reject(id, { paths: ['z'] })).toMatchObject(conflict('committed'));
});

test('a host cannot change what an open proposal changes, and may change anything else', async () => {
  const one = await session({ a: '1', 'd/e': 'e' });
  const id = idOf(await one.run('open("a", "w").write("2"); import os; os.remove("d/e")'));
  const refusals = await Promise.all([
    one.files.put('a', 'host'),
    one.files.put('a/below', 'host'),
    one.files.put('d', 'host'),
    one.files.move('a', 'b'),
    one.files.remove('d', { recursive: 'true' }),
    one.files.makeDirectory('d/e'),
    one.files.ask('PUT', 'archive', { query: { format: 'tar' }, body: Buffer.alloc(1024) }),
  ]);
  expect(refusals.map(({ code }) => code)).toEqual(Array(7).fill('proposal-conflict'));
  expect((await one.files.put('other', 'host')).status).toBe(201);
  expect(await one.world()).toEqual({ a: text('1'), 'd/e': text('e'), other: text('host') });
  await one.reject(id);
  expect((await one.files.put('a', 'host')).status).toBe(200);
  expect(one.workingCopy()).toMatchObject({ a: text('host'), 'd/e': text('e') });
});

test('changes stay proposals after the mode is turned off, as long as one is open', async () => {
  const one = await session({ a: '1' });
  const first = idOf(await one.run('open("a", "w").write("2")'));
  await holdfast.request('PATCH', `/v1/sessions/${one.id}`, { policy: { world: { proposalMode: false } } });
  const second = await one.run('open("a", "w").write("3")');
  expect(second.outcome).toEqual({ tag: 'proposed' });
  for (const id of [first, idOf(second)]) await one.commit(id);
  expect((await one.run('open("a", "w").write("4")')).outcome).toEqual({ tag: 'ok' });
  expect(await one.world()).toEqual({ a: text('4') });
});

test('ending a session rolls its open proposals back, and they can still be read', async () => {
  const one = await session({ a: '1' });
  const first = idOf(await one.run('open("a", "w").write("2"); open("b", "w").write("b")'));
  await one.commit(first, { paths: ['b'] });
  const second = idOf(await one.run('open("c", "w").write("c")'));
  expect((await holdfast.request('POST', `/v1/sessions/${one.id}/abort`)).status).toBe(200);
  expect(await one.world()).toEqual({ a: text('1'), b: text('b') });
  expect(await one.read(second)).toMatchObject({ status: 'rolled_back', decidedBy: 'system' });
  expect(await one.read(first)).toMatchObject({
    status: 'committed',
    changes: [
      { path: 'a', status: 'rolled_back' },
      { path: 'b', status: 'committed' },
    ],
  });
  expect(await one.commit(second)).toMatchObject({ status: 410 });
  expect(await one.open()).toEqual([]);
});

test('proposals are listed in order, by status and page by page', async () => {
  const one = await session();
  const ids = [];
  for (const name of ['a', 'b', 'c']) ids.push(idOf(await one.run(`open("${name}", "w").write("x")`)));
  await one.reject(ids[1] ?? '');
  const numbers = async (query: string) =>
    (await one.propose('GET', query)).body.items.map(({ number }: { number: number }) => number);
  expect(await numbers('')).toEqual([1, 2, 3]);
  expect(await numbers('?status=open')).toEqual([1, 3]);
  const page = (await one.propose('GET', '?limit=2')).body;
  expect([page.items.length, await numbers(`?cursor=${page.nextCursor}`)]).toEqual([2, [3]]);
  expect((await one.propose('GET', '/prp_01kaf3xq5t7e8m9n0p1r2s3t4v')).status).toBe(404);
});
