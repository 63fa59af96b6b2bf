import type { PolicyRequest } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolvePolicy } from '../../src/policy/rules/resolve-policy.ts';
import { listProposalChanges, listProposals } from '../../src/registry/proposals/find-proposals.ts';
import { settleWorld } from '../../src/world/settle-world.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { claimOf, putWorldFile } from '../support/registry-rows.ts';
import { change, sha256Of, startStoring } from '../support/start-storing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A session whose agent says whatever a test wants, with `a` and `h/secret` in its world. */
async function governed(world: Extract<PolicyRequest, object>['world']) {
  const storing = await startStoring(database);
  const { sessionId, files, deps } = storing;
  const { db } = database;
  for (const path of ['a', 'h/secret']) {
    async function* bytes() {
      yield Buffer.from(path);
    }
    await putWorldFile(db, { sessionId, path, ...(await deps.contents.store(bytes(), { bytesMax: 100 })) });
  }
  const policy = JSON.stringify(resolvePolicy({ world }, null));
  await db.sql`update sessions set policy = ${policy}::text::jsonb, policy_revision = 1 where id = ${sessionId}`;
  files.set('a', 'hello');
  const proposals = async () => (await listProposals(db, { sessionId, limit: 100 })).items;
  const isMarked = async () =>
    (
      await db.sql<
        { isUnsettled: boolean }[]
      >`select is_unsettled as "isUnsettled" from worlds where session_id = ${sessionId}`
    )[0]?.isUnsettled;
  return { ...storing, proposals, isMarked };
}

const before = { a: sha256Of('a'), 'h/secret': sha256Of('h/secret') };
const outside = ['../up', '/etc/passwd', 'a/../../b', '', 'a//b', 'nul\0'];

test('paths outside of the workspace are listed as invalid, and change neither the world nor a proposal', async () => {
  await using one = await governed({ proposalMode: true });
  const artifacts = await one.store(
    outside.map((path) => change(path)),
    { directories: outside.map((path) => ({ path, change: 'created' })) },
  );
  expect(artifacts.every(({ omission }) => omission === 'invalid-name')).toBe(true);
  expect([await one.world(), await one.proposals()]).toEqual([before, []]);
});

test('an agent that reports hidden files as deleted or replaced removes none of them', async () => {
  await using one = await governed({ readPatterns: ['a'] });
  one.files.set('h', 'hello');
  one.files.set('h/secret', 'hello');
  const reports = [
    change('h/secret', { change: 'deleted', size: 0 }),
    change('h'),
    change('h/secret', { change: 'modified' }),
  ];
  for (const report of reports) await one.store([report], { directories: [{ path: 'h', change: 'deleted' }] });
  expect(await one.world()).toEqual(before);
});

test('a list of changes beyond the limits is bounded, and the rest is found by a comparison', async () => {
  await using one = await governed({ proposalMode: true });
  const paths = Array.from({ length: 2500 }, (_, number) => `n/${number}`);
  for (const path of paths) one.files.set(path, 'hello');
  const artifacts = await one.store(paths.map((path) => change(path)));
  expect(artifacts.length).toBeLessThanOrEqual(2001);
  const [proposal] = await one.proposals();
  expect(proposal?.changeCount).toBe(1001);
  expect(await one.isMarked()).toBe(true);
  expect(await one.world()).toEqual(before);
});

test('an agent that names a path twice, in two cases or with a very long name makes one proposal that can be read', async () => {
  await using one = await governed({ proposalMode: true });
  const long = Array.from({ length: 16 }, () => 'x'.repeat(250)).join('/');
  for (const path of ['n', 'N', 'n/m', long]) one.files.set(path, 'hello');
  const reports = [change('n'), change('n', { change: 'deleted' }), change('N'), change('n/m'), change(long)];
  const artifacts = await one.store(reports);
  expect(artifacts.find(({ path }) => path === long)).toMatchObject({ omission: 'invalid-name' });
  const [proposal] = await one.proposals();
  const changes = await listProposalChanges(database.db, proposal ?? { id: '' });
  expect(changes.map(({ path, kind, change }) => `${change} ${kind} ${path}`)).toEqual([
    'created file N',
    'created file n/m',
    'created directory n',
  ]);
});

test('an agent that does not put a file back leaves the world marked, and unchanged by each comparison', async () => {
  await using one = await governed({ readOnly: true });
  const artifacts = await one.store([change('a', { change: 'modified' })]);
  expect(artifacts).toMatchObject([{ path: 'a', omission: 'refused', rule: 'world.readOnly', sha256: null }]);
  // It is deleted and written, and not read.
  expect(one.asked).toEqual(['a', 'a']);
  expect(await one.isMarked()).toBe(true);
  one.page.files = [{ path: 'a', size: 5, sha256: sha256Of('hello'), version: 'v1', executable: false }];
  await settleWorld(one.deps, { route: one.route, claim: await claimOf(database.db, one.sessionId) });
  expect([await one.world(), await one.isMarked()]).toEqual([before, true]);
  expect(one.asked.length).toBeGreaterThan(0);
});

test('a policy that is tightened while the end of a step is recorded holds for that step', async () => {
  await using one = await governed({});
  let isTightened = false;
  one.files.set('n', (response) => {
    const policy = JSON.stringify(resolvePolicy({ world: { readOnly: true } }, null));
    const tighten = database.db.sql`
      update sessions set policy = ${policy}::text::jsonb, policy_revision = policy_revision + 1 where id = ${one.sessionId}`;
    void (isTightened ? Promise.resolve() : tighten.then(() => {})).then(() => {
      isTightened = true;
      response.writeHead(200).end('hello');
    });
  });
  expect(await one.store([change('n')])).toMatchObject([{ path: 'n', omission: 'refused', rule: 'world.readOnly' }]);
  expect(await one.world()).toEqual(before);
});
