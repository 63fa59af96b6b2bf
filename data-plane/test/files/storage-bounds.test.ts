import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem, type RunJob, runJobSchema, type Session } from '@holdfast/specs/public';
import { beforeEach, expect, test } from 'vitest';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

/** The paths of complete uploads, in their order of arrival. */
let received: string[];
/** Awaited by each agent before it puts a file in its place. */
let place: Promise<void>;

beforeEach(() => {
  received = [];
  place = Promise.resolve();
  given.cluster.answering = (request, response) => {
    if (request.method !== 'PUT' || !request.url?.startsWith('/v1/files')) return false;
    // An upload that is given up has no end.
    take(request, response).catch(() => {});
    return true;
  };
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = new URL(request.url ?? '', 'http://agent').searchParams.get('path') ?? '';
  received.push(path);
  await place;
  const bytes = Buffer.concat(chunks);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  response.writeHead(201, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ path, size: bytes.length, sha256 }));
}

const bounds = (sessionBytesMax: number, tenantBytesMax: number) => ({
  HOLDFAST_KEPT_SESSION_BYTES_MAX: String(sessionBytesMax),
  HOLDFAST_KEPT_TENANT_BYTES_MAX: String(tenantBytesMax),
});

/** Two replicas whose heartbeats are not late, however long the test takes. */
async function twoReplicas(env: Record<string, string>): Promise<[TestReplica, TestReplica]> {
  const replicas: [TestReplica, TestReplica] = [await given.replica([], env), await given.replica([], env)];
  await given.db.sql`update replicas set heartbeat_at = now() + interval '1 hour'`;
  return replicas;
}

const putting = ({ verbs, caller }: TestReplica, { id, tenant = 'acme' }: { id: string; tenant?: string }) => ({
  put: async (path: string, text: string, { size }: { size?: number } = { size: text.length }) =>
    await verbs.putFile({
      caller: { ...caller, tenant },
      sessionId: id,
      path,
      ...(size !== undefined && { size }),
      headers: {},
      body: (async function* () {
        yield Buffer.from(text);
      })(),
    }),
});

const full = { slug: 'workspace-full' };

/** The result, or the code of the problem. */
const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'stored',
    (error: unknown) => (error instanceof Problem ? error.slug : error),
  );

const worldOf = async ({ id }: { id: string }) =>
  (await listWorldFiles(given.db, { sessionId: id })).map(({ path, size }) => [path, size]);

const bytesOf = async (tenant = 'acme') => {
  const [row] = await given.db.sql<{ bytes: number }[]>`
    select kept_bytes::float8 as bytes from tenants where tenant = ${tenant}`;
  return row?.bytes ?? 0;
};

test('uploads to two replicas at once never store more than the tenant may have, and another tenant is not affected', async () => {
  const replicas = await twoReplicas(bounds(1000, 35));
  const sessions = await Promise.all(
    Array.from({ length: 6 }, (_, index) => replicas[index % 2 ? 0 : 1].createSession()),
  );
  const placing = Promise.withResolvers<void>();
  place = placing.promise;
  const answers = sessions.map(({ id }, index) =>
    codeOf(putting(replicas[index % 2 ? 1 : 0], { id }).put('x', '0123456789')),
  );
  let refused = 0;
  for (const answer of answers) answer.then((code) => (refused += code === 'workspace-full' ? 1 : 0));
  // While three uploads are on their way, none of them is recorded, and there is already no room for the others.
  await eventually(() => expect([refused, received.length]).toEqual([3, 3]));
  expect(await bytesOf()).toBe(0);
  placing.resolve();
  expect((await Promise.all(answers)).toSorted()).toEqual([
    ...Array(3).fill('stored'),
    ...Array(3).fill('workspace-full'),
  ]);
  expect(await bytesOf()).toBe(30);
  const worlds = await Promise.all(sessions.map(worldOf));
  expect(worlds.flat()).toEqual(Array(3).fill(['x', 10]));
  expect(received).toHaveLength(3);
  const other = await replicas[0].createSession({}, { tenant: 'other' });
  await putting(replicas[1], { id: other.id, tenant: 'other' }).put('x', '0'.repeat(35));
  expect(await bytesOf('other')).toBe(35);
});

test('an upload that replaces a file needs room only for what it adds', async () => {
  const [replica] = await twoReplicas(bounds(20, 30));
  const one = await replica.createSession();
  const files = putting(replica, one);
  await files.put('x', 'a'.repeat(20));
  await files.put('x', 'b'.repeat(20));
  await expect(files.put('x', 'c'.repeat(21))).rejects.toMatchObject(full);
  await expect(files.put('y', 'c')).rejects.toMatchObject(full);
  await files.put('empty', '');
  const other = putting(replica, await replica.createSession());
  await expect(other.put('x', 'a'.repeat(11))).rejects.toMatchObject({
    options: { detail: expect.stringContaining('sessions of a tenant') },
  });
  await other.put('x', 'a'.repeat(10));
  await other.put('x', 'b'.repeat(10));
  await files.put('x', 'd'.repeat(20));
  expect([await worldOf(one), await bytesOf()]).toEqual([
    [
      ['empty', 0],
      ['x', 20],
    ],
    30,
  ]);
});

test('an upload of unknown length is cut off at the limit and leaves nothing, neither content nor file', async () => {
  const [replica] = await twoReplicas(bounds(2_000_000, 1_000_000));
  const session = await replica.createSession();
  let sent = 0;
  async function* endless() {
    for (;;) {
      sent += 65_536;
      yield Buffer.alloc(65_536);
    }
  }
  const upload = { caller: replica.caller, sessionId: session.id, path: 'x', headers: {}, body: endless() };
  await expect(replica.verbs.putFile(upload)).rejects.toMatchObject(full);
  expect(sent).toBeLessThan(3_000_000);
  expect([received, await worldOf(session), await bytesOf()]).toEqual([[], [], 0]);
  await eventually(async () =>
    expect([...(await given.db.sql`select id from contents union all select content_id from content_pieces`)]).toEqual(
      [],
    ),
  );
});

test('the room of an upload that fails is free again', async () => {
  const [replica, other] = await twoReplicas(bounds(10, 10));
  const [one, two] = [await replica.createSession(), await replica.createSession()];
  const placing = Promise.withResolvers<void>();
  place = placing.promise;
  const failing = codeOf(putting(replica, one).put('x', 'a'.repeat(10)));
  await eventually(() => expect(received).toEqual(['x']));
  expect(await codeOf(putting(other, two).put('x', 'b'.repeat(10)))).toBe('workspace-full');
  placing.reject(new Error('the agent fails'));
  await given.cluster.crash((await given.sandboxOf(one)) as string);
  expect(await failing).not.toBe('stored');
  place = Promise.resolve();
  await putting(other, two).put('x', 'b'.repeat(10));
  expect([await worldOf(one), await worldOf(two), await bytesOf()]).toEqual([[], [['x', 10]], 10]);
});

async function goneFrom(replica: TestReplica, { id }: Session): Promise<void> {
  expect(await replica.verbs.deleteSession({ caller: replica.caller, id })).toBe('gone');
}

test('a tenant that has ended all its sessions gets its room back when they are deleted', async () => {
  const [replica] = await twoReplicas(bounds(10, 20));
  const ended = [await replica.createSession(), await replica.createSession()];
  for (const session of ended) await putting(replica, session).put('x', 'x'.repeat(10));
  for (const { id } of ended) await replica.verbs.endSession({ caller: replica.caller, id, to: 'completed' });
  const next = await replica.createSession();
  await expect(putting(replica, next).put('x', 'x')).rejects.toMatchObject(full);
  await expect(replica.createSession({ files: { x: 'x' } })).rejects.toMatchObject(full);
  for (const session of ended) await goneFrom(replica, session);
  await eventually(async () => expect(await bytesOf()).toBe(0));
  await putting(replica, next).put('x', 'x'.repeat(10));
  const filled = await replica.createSession({ files: { x: 'y'.repeat(10) } });
  expect([await worldOf(filled), await bytesOf()]).toEqual([[['x', 10]], 20]);
});

test('a session whose first files do not fit is not created, and its idempotency key is free', async () => {
  const [replica] = await twoReplicas(bounds(10, 20));
  const files = { files: { x: 'x'.repeat(6), y: 'y'.repeat(5) } };
  await expect(replica.createSession(files, { idempotencyKey: 'k' })).rejects.toMatchObject(full);
  expect([...(await given.db.sql`select id from sessions`)]).toEqual([]);
  await expect(replica.createSession({ files: { x: 'x' } }, { idempotencyKey: 'k' })).resolves.toMatchObject({
    status: 'active',
  });
  const job: RunJob = runJobSchema.parse({ language: 'python', filename: 'main.py', code: 'x'.repeat(11) });
  await expect(replica.verbs.runJob({ caller: replica.caller, request: job })).rejects.toMatchObject(full);
});
