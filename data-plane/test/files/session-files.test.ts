import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { fillWorkspace } from '../../src/sessions/start/fill-workspace.ts';
import { sha256 } from '../support/files-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import type { Answering } from '../support/scripted-agent.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';

let database: TestDatabase;
let cluster: ScriptedCluster;
let replica: TestReplica;
/** The files that the agents received, by path, in order of arrival. */
let received: Map<string, string>;

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
  received = new Map();
  cluster.answering = taking((path, text) => ({ path, size: Buffer.byteLength(text), sha256: sha256(text) }));
});

/** Reads every file to its end and sends the answer that `answer` returns. */
const taking =
  (answer: (path: string, text: string) => object): Answering =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://agent');
    if (request.method !== 'PUT' || pathname !== '/v1/files') return false;
    const path = searchParams.get('path') ?? '';
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      received.set(path, text);
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(answer(path, text)));
    });
    return true;
  };

const refusing: Answering = (request, response) => {
  if (!request.url?.startsWith('/v1/files?')) return false;
  const problem = { type: '/', code: 'workspace-full', title: 'There is no room left for this', status: 507 };
  response.writeHead(507, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  return true;
};

const worldOf = async (sessionId: string) =>
  Object.fromEntries((await listWorldFiles(database.db, { sessionId })).map(({ path, sha256 }) => [path, sha256]));

const file = (sessionId: string, text: string) => ({
  caller: replica.caller,
  sessionId,
  path: 'x',
  headers: {},
  body: [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>,
});

test('a session has its files, given as text or bytes, before it is active', async () => {
  const files = { 'a.txt': 'text é', '/workspace/b/c': { base64: Buffer.from('bytes').toString('base64') }, d: '' };
  const { id, status } = await replica.createSession({ files });
  expect(status).toBe('active');
  expect(Object.fromEntries(received)).toEqual({ 'a.txt': 'text é', 'b/c': 'bytes', d: '' });
  expect(await worldOf(id)).toEqual({ 'a.txt': sha256('text é'), 'b/c': sha256('bytes'), d: sha256('') });
});

test('a repeated creation returns the session with its files, and with other files it is another request', async () => {
  const idempotencyKey = newId('key');
  const { id } = await replica.createSession({ files: { a: 'one' } }, { idempotencyKey });
  expect((await replica.createSession({ files: { a: 'one' } }, { idempotencyKey })).id).toBe(id);
  await expect(replica.createSession({ files: { a: 'two' } }, { idempotencyKey })).rejects.toMatchObject({
    slug: 'idempotency-mismatch',
  });
  expect(await worldOf(id)).toEqual({ a: sha256('one') });
});

test('the start of a session fails if a file cannot be written, and names the file', async () => {
  cluster.answering = refusing;
  await expect(replica.createSession({ files: { 'a.txt': 'x' } })).rejects.toMatchObject({
    slug: 'sandbox-unreachable',
    options: { endReason: 'sandbox_start_failed' },
  });
  const { items } = await replica.verbs.listSessions({ caller: replica.caller, limit: 1, statuses: ['failed'] });
  expect(items[0]?.endMessage).toContain('"a.txt"');
});

test('a new sandbox of a session gets its world', async () => {
  const { id } = await replica.createSession({ files: { a: 'one', 'b/c': 'two' } });
  const route = await replica.routes.resolve({ sessionId: id, tenant: 'acme' });
  received.clear();
  await fillWorkspace(replica, { route, signal: AbortSignal.timeout(10_000) });
  expect(Object.fromEntries(received)).toEqual({ a: 'one', 'b/c': 'two' });
});

test('a new sandbox that is filled from a marked world is logged, as the changes of the one before are not known', async () => {
  const { id } = await replica.createSession({ files: { a: 'one' } });
  await database.db.sql`insert into worlds (session_id, is_unsettled) values (${id}, true)`;
  const route = await replica.routes.resolve({ sessionId: id, tenant: 'acme' });
  await fillWorkspace(replica, { route, signal: AbortSignal.timeout(10_000) });
  expect(replica.lines.filter((line) => line.includes(id)).at(-1)).toContain('the world may lack the last changes');
});

test('a file that the agent did not write as it was sent is not in the world', async () => {
  const { id } = await replica.createSession();
  cluster.answering = taking((path) => ({ path, size: 4, sha256: sha256('evil') }));
  await expect(replica.verbs.putFile(file(id, 'good'))).rejects.toMatchObject({ slug: 'sandbox-failed' });
  cluster.answering = (request, response) => {
    if (!request.url?.startsWith('/v1/files?')) return false;
    const written = JSON.stringify({ path: 'x', size: 4, sha256: sha256('good') });
    request.once('data', () => response.writeHead(201, { 'content-type': 'application/json' }).end(written));
    return true;
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* halting() {
    yield Buffer.from('go');
    await promise;
    yield Buffer.from('od');
  }
  const early = replica.verbs.putFile({ ...file(id, ''), body: halting() });
  await expect(early).rejects.toMatchObject({ slug: 'sandbox-failed' });
  resolve();
  expect(await worldOf(id)).toEqual({});
});

test('requests for files of another tenant are rejected before they reach an agent', async () => {
  const { id } = await replica.createSession({ files: { x: 'mine' } });
  const caller = { ...replica.caller, tenant: 'other' };
  received.clear();
  await expect(replica.verbs.putFile({ ...file(id, 'theirs'), caller })).rejects.toMatchObject({ slug: 'not-found' });
  await expect(
    replica.verbs.deleteFile({ caller, sessionId: id, path: 'x', recursive: false, headers: {} }),
  ).rejects.toMatchObject({ slug: 'not-found' });
  expect([received.size, await worldOf(id)]).toEqual([0, { x: sha256('mine') }]);
});

test('another replica writes to the same sandbox and the same world', async () => {
  const { id } = await replica.createSession({ files: { x: 'one' } });
  const second = await startReplica({ address: database.address, runtime: cluster.runtime([]) });
  await second.verbs.putFile(file(id, 'two'));
  await second.stop();
  expect([received.get('x'), await worldOf(id)]).toEqual(['two', { x: sha256('two') }]);
});
