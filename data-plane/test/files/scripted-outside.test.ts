import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../support/files-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import type { Answering } from '../support/scripted-agent.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';

const place = '/home/user';

let database: TestDatabase;
let cluster: ScriptedCluster;
let replica: TestReplica;
let sessionId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  cluster = createScriptedCluster();
  const runtime = cluster.runtime([]);
  const profiles = [{ name: 'default', languages: ['python' as const], workspacePath: place }];
  const like = { ...runtime, capabilities: { ...runtime.capabilities, profiles } };
  replica = await startReplica({ address: database.address, runtime: like });
  sessionId = (await replica.createSession()).id;
});
afterAll(async () => {
  await replica.stop();
  await cluster.close();
  await database.drop();
});
afterEach(() => {
  cluster.answering = () => false;
});

const problemOf = (status: number, code: string) => JSON.stringify({ type: '/', code, title: 'refused', status });

/** Answers requests for files, and notes their method and path. */
function answering(answer: (method: string, path: string) => [status: number, body: string] | null): string[] {
  const asked: string[] = [];
  cluster.answering = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://agent');
    if (!pathname.startsWith('/v1/files')) return false;
    const path = searchParams.get('path') ?? '';
    asked.push(`${request.method} ${path}`);
    request.resume();
    request.on('end', () => {
      const [status, body] = answer(request.method ?? '', path) ?? [204, ''];
      const type = status < 400 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    return true;
  };
  return asked;
}

const audited = async () =>
  (
    await database.db
      .sql`select operation from audit_entries where operation like 'file.%' or operation like 'world.%' order by id`
  ).map(({ operation }) => operation);

test("a path in the profile's place for the workspace is the world's, and one beside it is not", async () => {
  const stat = {
    kind: 'file',
    size: 0,
    modifiedAt: '2026-01-02T03:04:05.678Z',
    mode: '0644',
    uid: 1,
    gid: 1,
    owner: null,
    group: null,
    linkTarget: null,
    changedAt: '2026-01-02T03:04:05.678Z',
    accessedAt: '2026-01-02T03:04:05.678Z',
  };
  const asked = answering((_, path) => [200, JSON.stringify({ ...stat, path })]);
  for (const path of [`${place}/a/b`, place, `${place}2/a`, '/home', 'home/user/a']) {
    await replica.verbs.statFile({ caller: replica.caller, sessionId, path });
  }
  expect(asked).toEqual(['GET a/b', 'GET ', `GET ${place}2/a`, 'GET /home', 'GET home/user/a']);
});

test('the place of the workspace itself is refused as a file, and no link is made for it', async () => {
  const asked = answering(() => [200, '{}']);
  const { verbs, caller } = replica;
  const file = { caller, sessionId, path: place, headers: {} };
  const sink = { onHead() {}, onChunk: () => undefined, signal: AbortSignal.timeout(10_000) };
  const refused = [
    () => verbs.readFile({ ...file, ...sink }),
    () => verbs.putFile({ ...file, body: [Buffer.from('x')], size: 1 }),
    () => verbs.deleteFile({ ...file, recursive: true }),
    () => verbs.createFileLink({ caller, sessionId, request: { path: place, operation: 'read', expiresSeconds: 60 } }),
  ];
  for (const ask of refused) await expect(ask()).rejects.toMatchObject({ slug: 'invalid-request' });
  expect(asked).toEqual([]);
});

test('a file that is written at the place of the workspace enters the world', async () => {
  const written = (path: string) => JSON.stringify({ path, size: 1, sha256: sha256('x'), executable: false });
  answering((_, path) => [201, written(path)]);
  const file = { caller: replica.caller, sessionId, headers: {}, body: [Buffer.from('x')] };
  const before = (await audited()).length;
  expect(await replica.verbs.putFile({ ...file, path: `${place}/x` })).toMatchObject({ path: 'x' });
  expect(await replica.verbs.putFile({ ...file, path: '/tmp/x' })).toMatchObject({ path: '/tmp/x' });
  expect((await audited()).slice(before)).toEqual(['world.write', 'file.write']);
});

test('a change outside is in the audit log if its outcome is not known, and not if it was refused', async () => {
  const input = { caller: replica.caller, sessionId, path: '/tmp/x', recursive: false, headers: {} };
  const before = (await audited()).length;
  answering(() => [404, problemOf(404, 'not-found')]);
  await expect(replica.verbs.deleteFile(input)).rejects.toMatchObject({ slug: 'not-found' });
  expect((await audited()).slice(before)).toEqual([]);
  cluster.answering = (request) => {
    if (!request.url?.startsWith('/v1/files')) return false;
    request.socket.destroy();
    return true;
  };
  await expect(replica.verbs.deleteFile(input)).rejects.toMatchObject({ slug: 'sandbox-unreachable' });
  expect((await audited()).slice(before)).toEqual(['file.delete']);
});

/** An agent whose watch says these lines and then nothing. */
const watching =
  (text: string): Answering =>
  (request, response) => {
    if (!request.url?.startsWith('/v1/files/events')) return false;
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(text);
    return true;
  };

const watch = async () => {
  const gone = new AbortController();
  const input = { caller: replica.caller, sessionId, path: '', recursive: true, signal: gone.signal };
  return { gone, events: await replica.verbs.watchFiles(input) };
};

test.for([
  ['text that is not JSON', 'x\n'],
  ['an unknown type', '{"type":"exec"}\n'],
  ['a path that is no text', '{"type":"created","path":7}\n'],
  ['a path that is too long', `{"type":"created","path":"${'x'.repeat(9000)}"}\n`],
  ['an event without an end', `{"type":"created","path":"${'x'.repeat(200_000)}`],
])('a watch ends with a problem if the agent sends %s', async ([, text]) => {
  cluster.answering = watching(`{"type":"ready"}\n${text}`);
  const { events, gone } = await watch();
  expect((await events.next()).value).toEqual({ type: 'ready' });
  await expect(events.next()).rejects.toMatchObject({ slug: 'sandbox-failed' });
  gone.abort();
});

test('a watch asks the agent for no more than its reader takes', async () => {
  const line = `${JSON.stringify({ type: 'created', path: 'x'.repeat(1000) })}\n`;
  const sent = { bytes: 0 };
  cluster.answering = (request, response) => {
    if (!request.url?.startsWith('/v1/files/events')) return false;
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"type":"ready"}\n');
    const pump = () => {
      while (sent.bytes < 2 ** 28) {
        sent.bytes += line.length;
        if (!response.write(line)) return response.once('drain', pump);
      }
      return response.end();
    };
    pump();
    return true;
  };
  const { events, gone } = await watch();
  for (let taken = 0; taken < 1000; taken++) await events.next();
  // The kernel's buffers of both sockets take some megabytes.
  expect(sent.bytes).toBeLessThan(2 ** 26);
  gone.abort();
  await events.return(undefined);
});
