import { openPortSchema } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';

let database: TestDatabase;
let cluster: ScriptedCluster;
let one: TestReplica;
let other: TestReplica;

beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  cluster = createScriptedCluster();
  const start = () => startReplica({ address: database.address, runtime: cluster.runtime([]) });
  [one, other] = [await start(), await start()];
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await cluster.close();
  await database.drop();
});

/** A request that waits at the agent until a server listens. */
async function opening(idempotencyKey?: string) {
  const { id: sessionId } = await one.createSession();
  const [reached, listens] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  cluster.answering = ({ url }, response) => {
    if (!url?.startsWith('/v1/ports/')) return false;
    reached.resolve();
    void listens.promise.then(() => response.writeHead(204).end());
    return true;
  };
  const request = openPortSchema.parse({ port: 8000, waitSeconds: 30 });
  const asked = { caller: one.caller, sessionId, request, apiHost: undefined, idempotencyKey };
  const opened = one.verbs.openPort(asked).catch((error) => error);
  await reached.promise;
  const ports = async () => (await one.db.sql`select id from ports where session_id = ${sessionId}`).length;
  return { sessionId, asked, opened, listens, ports };
}

test('a replica opens no port for a key that another one has taken over and refused', async () => {
  const { asked, opened, listens, ports } = await opening('late');
  // The first replica seems to be dead, so its key passes to the next one.
  await one.db.sql`update replicas set heartbeat_at = now() - interval '1 hour' where id = ${one.replicaId}`;
  cluster.answering = ({ url }, response) => {
    if (!url?.startsWith('/v1/ports/')) return false;
    response.writeHead(502, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ type: '', title: '', status: 502, code: 'port-closed', detail: 'nothing listens' }));
    return true;
  };
  await expect(other.verbs.openPort(asked)).rejects.toMatchObject({ slug: 'port-closed' });
  listens.resolve();
  expect(await opened).toMatchObject({ slug: 'idempotency-conflict' });
  expect(await ports()).toBe(0);
});

test.each([
  ['is paused', 'session-paused', "status = 'paused'"],
  ['has another policy', 'session-starting', 'policy_revision = policy_revision + 1'],
])('a session that %s while a request waits opens no port', async (_, slug, change) => {
  const { sessionId, opened, listens, ports } = await opening();
  await one.db.sql.unsafe(`update sessions set ${change} where id = $1`, [sessionId]);
  listens.resolve();
  expect(await opened).toMatchObject({ slug });
  expect(await ports()).toBe(0);
});
