import { newId, type PolicyRequest, Problem } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { entryOf } from '../../src/policy/audit/asked-by.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { rollBackProposals } from '../../src/world/proposals/reject-changes.ts';
import { writeToWorld } from '../../src/world/write-to-world.ts';
import { sha256 } from '../support/files-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';
import { text } from './governed-session.ts';

let database: TestDatabase;
let cluster: ScriptedCluster;
let replica: TestReplica;
/** The files in the sandbox, by path. */
let files: Map<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  cluster = createScriptedCluster();
  replica = await startReplica({ address: database.address, runtime: cluster.runtime([]) });
});
afterAll(async () => {
  await replica.stop();
  await cluster.close();
  await database.drop();
});
beforeEach(() => {
  files = new Map();
  cluster.answering = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://agent');
    if (pathname === '/v1/directories') response.writeHead(201).end();
    if (pathname !== '/v1/files') return pathname === '/v1/directories';
    const path = searchParams.get('path') ?? '';
    if (request.method === 'DELETE') {
      const problem = files.delete(path) ? null : new Problem('not-found');
      response.writeHead(problem?.status ?? 204, { 'content-type': 'application/problem+json' });
      response.end(problem ? JSON.stringify(problem.body()) : undefined);
      return true;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const content = Buffer.concat(chunks).toString();
      files.set(path, content);
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ path, size: content.length, sha256: sha256(content) }));
    });
    return true;
  };
});

async function session(world: Extract<PolicyRequest, object>['world']) {
  const { id } = await replica.createSession({ policy: { world } });
  const route = await replica.routes.resolve({ sessionId: id, tenant: 'acme' });
  const stepId = newId('stp');
  const entry = entryOf(replica.caller, id, { operation: 'world.write' });
  const proposals = async () =>
    (await replica.verbs.listProposals({ caller: replica.caller, sessionId: id, limit: 10 })).items;
  return {
    ...{ id, route, stepId, proposals },
    write: (path: string, content: string) =>
      writeToWorld(replica, { route, stepId, path, bytes: Buffer.from(content), entry }),
    rollBack: () => rollBackProposals(replica, { route, decider: { by: 'code' }, entry }),
    world: async () =>
      Object.fromEntries(
        (await listWorldFiles(database.db, { sessionId: id })).map((file) => [file.path, file.sha256.slice(0, 12)]),
      ),
  };
}

test('a file that code writes through the data-plane is in the working copy and in the world', async () => {
  const one = await session({});
  expect(await one.write('d/a', 'hello')).toEqual({ path: 'd/a', size: 5, sha256: sha256('hello'), proposalId: null });
  await one.write('d/a', 'again');
  expect([await one.world(), files.get('d/a'), await one.proposals()]).toEqual([{ 'd/a': text('again') }, 'again', []]);
});

test('in proposal mode it is a proposal of its step, and its rollback leaves nothing', async () => {
  const one = await session({ proposalMode: true });
  const first = await one.write('a', 'hello');
  expect(first).toMatchObject({ proposalId: expect.stringMatching(/^prp_/) });
  expect(await one.write('a', 'hello')).toMatchObject({ proposalId: null });
  await one.write('a', 'again');
  expect(await one.proposals()).toMatchObject([
    { number: 1, stepId: one.stepId, status: 'open' },
    { number: 2, stepId: one.stepId, status: 'open' },
  ]);
  expect([await one.world(), files.get('a')]).toEqual([{}, 'again']);
  expect(await one.rollBack()).toBe(2);
  expect(files.size).toBe(0);
  expect(await one.proposals()).toMatchObject(Array(2).fill({ status: 'rolled_back', decidedBy: 'code' }));
  expect(await one.rollBack()).toBe(0);
});

test('a file that a rule forbids, or that is too large, is not written', async () => {
  const one = await session({ writePatterns: ['src/**'], readPatterns: ['src/**', 'a'] });
  expect(await one.write('a', 'x')).toEqual({ rule: 'world.writePatterns' });
  expect(await one.write('b', 'x')).toEqual({ rule: 'world.readPatterns' });
  const bytes = 'x'.repeat(replica.limits.keptFileBytesMax + 1);
  expect(await one.write('src/large', bytes)).toEqual({ omission: 'too-large' });
  expect(await (await session({ readOnly: true })).write('src/x', 'x')).toEqual({ rule: 'world.readOnly' });
  expect([files.size, await one.world()]).toEqual([0, {}]);
  expect(await one.write('src/x', 'x')).toMatchObject({ proposalId: null });
});

test('a file whose mode is not known gets no other one when code writes it', async () => {
  const one = await session({});
  await one.write('a', 'old');
  await database.db.sql`update world_files set mode = null where session_id = ${one.id}`;
  await one.write('a', 'new');
  await one.write('b', 'new');
  const modes = (await listWorldFiles(database.db, { sessionId: one.id })).map(({ path, mode }) => [path, mode]);
  expect(modes).toEqual([
    ['a', null],
    ['b', '0644'],
  ]);
});
