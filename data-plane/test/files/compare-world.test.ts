import { afterAll, beforeAll, expect, test } from 'vitest';
import { readExpected } from '../../src/policy/files/read-expected.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { listWorldDirectories } from '../../src/registry/world-files/world-directories.ts';
import { compareWorld } from '../../src/world/compare-world.ts';
import { settleWorld } from '../../src/world/settle-world.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { claimOf } from '../support/registry-rows.ts';
import { change, sha256Of, startStoring } from '../support/start-storing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A session with the executable file `d/run` and the empty directories `e` and `e/f` in its world. */
async function started() {
  const storing = await startStoring(database);
  const { files, sessionId } = storing;
  files.set('d/run', 'hello');
  const directories = ['e', 'e/f'].map((path) => ({ path, change: 'created' }) as const);
  await storing.store([change('d/run', { executable: true })], { directories });
  const compare = async () => {
    const { visible: expected } = await readExpected(database.db, { sessionId, rules: null });
    const comparing = { route: storing.route, expected, signal: AbortSignal.timeout(20_000) };
    return await compareWorld({ ...storing.deps, fileBytesMax: 100 }, comparing);
  };
  const settle = async () =>
    settleWorld(storing.deps, { route: storing.route, claim: await claimOf(database.db, sessionId) });
  const world = async () => [
    (await listWorldFiles(database.db, { sessionId })).map(({ path, executable }) => [path, executable]),
    await listWorldDirectories(database.db, { sessionId }),
  ];
  return { ...storing, compare, settle, world };
}

const file = { path: 'd/run', size: 5, sha256: sha256Of('hello'), version: 'v1' };

test('a world is compared by directories and by executable files, and becomes like the working copy', async () => {
  await using session = await started();
  const { compare, settle, world, page } = session;
  Object.assign(page, { files: [{ ...file, executable: true }], directories: ['d', 'e', 'e/f'] });
  const same = { changes: [], remove: [], directories: { put: [], remove: [] } };
  expect(await compare()).toMatchObject(same);
  Object.assign(page, { files: [{ ...file, executable: false }], directories: ['d', 'e', 'e/g', 'h', '../up', ''] });
  expect(await compare()).toMatchObject({
    changes: [{ path: 'd/run', change: 'modified', executable: false }],
    directories: { put: ['e/g', 'h'], remove: ['e/f'] },
  });
  await settle();
  expect(await world()).toEqual([[['d/run', false]], ['d', 'e', 'e/g', 'h']]);
  expect(await compare()).toMatchObject(same);
});

test('a page has room for as many files as an agent lists in one', async () => {
  await using session = await started();
  session.page.files = Array.from({ length: 1000 }, (_, number) => ({ ...file, path: `file-${number}` }));
  expect((await session.compare()).changes).toHaveLength(1000);
});

test('an agent that lists no directories and no modes changes neither in the world', async () => {
  await using session = await started();
  const { compare, settle, world, page } = session;
  page.files = [file];
  expect(await compare()).toMatchObject({ changes: [], directories: { put: [], remove: [] } });
  page.files = [{ ...file, size: 3, sha256: sha256Of('bye') }];
  session.files.set('d/run', 'bye');
  await settle();
  expect(await world()).toEqual([[['d/run', true]], ['d', 'e', 'e/f']]);
});

test('directories count as files do for the end of a comparison, which then removes none', async () => {
  await using session = await started();
  const { agents } = session.deps;
  const page = (at: number) => ({
    files: [],
    directories: Array.from({ length: 1000 }, (_, number) => `d${at}-${number}`),
    next: 'more',
  });
  let pages = 0;
  const call: typeof agents.call = async (_, { path }) =>
    (path.startsWith('/v1/files/digests') ? page(pages++) : { items: [] }) as never;
  const endless = { ...agents, call };
  const { visible: expected } = await readExpected(database.db, { sessionId: session.sessionId, rules: null });
  const comparison = await compareWorld(
    { ...session.deps, agents: endless, fileBytesMax: 1 },
    { route: session.route, expected, signal: AbortSignal.timeout(20_000) },
  );
  expect(pages).toBe(101);
  expect(comparison).toMatchObject({ isCut: true, directories: { remove: [] } });
});

test('an agent that never stops naming directories that cannot be read is cut off', async () => {
  await using session = await started();
  const unreadable = Array.from({ length: 1000 }, (_, number) => `${number}/${'x'.repeat(8000)}`);
  Object.assign(session.page, { files: [], directories: [], unreadable, next: 'more' });
  expect(await session.compare()).toMatchObject({ isCut: true, directories: { put: [], remove: [] } });
});
