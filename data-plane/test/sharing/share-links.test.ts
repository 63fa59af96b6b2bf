import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { client } from '../support/start-holdfast.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { watchSession } from './watch-session.ts';

const key = 'the-first-key-of-the-deployment-0123456789';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let one: Replica;
let other: Replica;
let sessionId: string;
const as = (secret: string, at: Replica) => client(at.url, { authorization: `Bearer ${secret}` });
const host = () => as(key, one);

beforeAll(async () => {
  [fake, database] = await Promise.all([startFakeKubernetes(), createTestDatabase()]);
  const env = { DATABASE_URL: database.url, HOLDFAST_BOOTSTRAP_API_KEY: key };
  const secret = { HOLDFAST_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const start = () => startReplicaOnKubernetes(fake, { ...env, ...secret });
  [one, other] = await Promise.all([start(), start()]);
  sessionId = (await host().createSession({ env: { HIDDEN: 'value-of-the-host' } })).id;
}, 90_000);
afterAll(async () => {
  await Promise.all([one, other].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
});

type Made = { id: string; token: string; url: string };

async function share(body: object, more: Record<string, string> = {}): Promise<Made> {
  const made = await host().request('POST', `/v1/sessions/${sessionId}/shares`, { expiresSeconds: 600, ...body }, more);
  expect(made.status).toBe(201);
  return made.body;
}

const auditOf = async (operation: string) =>
  (await host().request('GET', `/v1/sessions/${sessionId}/audit?limit=200&operation=${operation}`)).body.items;

test('a guest sends a step under the name of the link, which everyone sees and the audit log has', async () => {
  const { id, token } = await share({ access: 'run', name: 'Ada' });
  const watcher = watchSession(sessionId, { query: '?from=now', headers: { authorization: `Bearer ${key}` } });
  watcher.connect(one.url);
  const step = await as(token, other).runStep(sessionId, { code: '6 * 7', actor: 'agent', actorName: 'Eve' });
  expect(step).toMatchObject({ status: 'succeeded', actor: 'user', actorName: 'Ada' });
  await watcher.has(step.id, 'finished');
  const own = watcher.seen.filter(({ stepId, type }) => stepId === step.id && type !== 'session');
  for (const { data } of own) expect(data).toMatchObject({ actor: 'user', actorName: 'Ada' });
  expect(await auditOf('step.run')).toContainEqual(
    expect.objectContaining({ stepId: step.id, keyId: id, actor: 'user', actorName: 'Ada' }),
  );
  expect(await auditOf('share.create')).toContainEqual(
    expect.objectContaining({ arguments: expect.objectContaining({ shareId: id, access: 'run' }) }),
  );
  await watcher.cut();
}, 60_000);

test('a guest interrupts the step of the agent, and the stream says who did', async () => {
  const { token } = await share({ access: 'run', name: 'Ada' });
  const watcher = watchSession(sessionId, { query: '?from=now', headers: { authorization: `Bearer ${key}` } });
  watcher.connect(one.url);
  const events = host().streamStep(sessionId, { code: 'import time\nprint(1, flush=True)\ntime.sleep(60)' });
  const { value } = await events.next();
  const { stepId } = value as { stepId: string };
  await watcher.has(stepId, 'stdout');
  const interrupted = await as(token, other).request('POST', `/v1/sessions/${sessionId}/steps/${stepId}/interrupt`);
  expect(interrupted.status).toBe(202);
  for await (const event of events) if (event.type === 'finished') expect(event.step.status).toBe('interrupted');
  await eventually(() =>
    expect(watcher.seen.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({
        type: 'session',
        operation: 'step.interrupt',
        stepId,
        actor: 'user',
        actorName: 'Ada',
      }),
    ),
  );
  await watcher.cut();
}, 60_000);

test('a link to watch shows no secret of the host and lets nothing be done', async () => {
  const { token } = await share({ access: 'watch' });
  const guest = as(token, other);
  await host().runStep(sessionId, { code: 'open("a.txt", "w").write("content"); 1' });
  const paths = ['', '/steps', '/context', '/files', '/files/a.txt'].map((path) => `/v1/sessions/${sessionId}${path}`);
  for (const path of paths) {
    const answer = await fetch(other.url + path, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    expect([path, answer.status]).toEqual([path, 200]);
    expect(text).not.toContain('value-of-the-host');
    expect(text).not.toContain(key);
  }
  const watcher = watchSession(sessionId, { query: `?token=${token}` });
  watcher.connect(other.url);
  await eventually(() => expect(watcher.seen.length).toBeGreaterThan(10));
  await watcher.cut();
  expect(JSON.stringify(watcher.seen)).not.toMatch(/value-of-the-host|hfs_|"keyId"/);
  expect((await guest.request('POST', `/v1/sessions/${sessionId}/steps`, { code: '1' })).status).toBe(403);
  const foreign = await host().createSession();
  expect((await guest.request('GET', `/v1/sessions/${foreign.id}`)).status).toBe(403);
  await host().deleteSession(foreign.id);
}, 60_000);

test('a link that is revoked ends its streams on every replica, and is refused', async () => {
  const { id, token } = await share({ access: 'watch' });
  const watchers = [one, other].map((replica) => {
    const watcher = watchSession(sessionId, { query: `?token=${token}` });
    watcher.connect(replica.url);
    return watcher;
  });
  await eventually(() => expect(watchers.every(({ seen }) => seen.length > 0)).toBe(true));
  const path = `/v1/sessions/${sessionId}/shares/${id}`;
  expect((await host().request('DELETE', path)).status).toBe(204);
  for (const watcher of watchers) expect(await watcher.over).toBe('cut');
  for (const replica of [one, other]) {
    await eventually(async () => {
      expect((await as(token, replica).request('GET', `/v1/sessions/${sessionId}`)).status).toBe(401);
    });
  }
  expect((await host().request('DELETE', path)).status).toBe(204);
  expect(await auditOf('share.revoke')).toHaveLength(1);
}, 60_000);

test('the registry holds no token, and a changed row gives a link no further right', async () => {
  const { id, token } = await share({ access: 'watch', name: 'Ada' });
  const [row] = await database.db.sql`select * from shares where id = ${id}`;
  expect(JSON.stringify(row)).not.toContain(token.slice(31));
  const ask = async () => (await as(token, one).request('GET', `/v1/sessions/${sessionId}`)).status;
  await database.db.sql`update shares set access = 'run' where id = ${id}`;
  expect(await ask()).toBe(401);
  await database.db.sql`update shares set access = 'watch' where id = ${id}`;
  expect(await ask()).toBe(200);
}, 60_000);

test('a link expires by the clock of the database', async () => {
  const { token } = await share({ access: 'watch', expiresSeconds: 1 });
  await eventually(async () => {
    expect((await as(token, one).request('GET', `/v1/sessions/${sessionId}`)).status).toBe(401);
  });
}, 60_000);

test('a repeat of the creation of a link gets the same link, and the list has it once without its token', async () => {
  const once = { 'idempotency-key': 'one-link' };
  const made = await share({ access: 'run', name: 'Bob' }, once);
  expect(await share({ access: 'run', name: 'Bob' }, once)).toEqual(made);
  const { items } = (await host().request('GET', `/v1/sessions/${sessionId}/shares`)).body;
  expect(items.filter(({ id }: Made) => id === made.id)).toMatchObject([
    { access: 'run', name: 'Bob', revokedAt: null },
  ]);
  expect(JSON.stringify(items)).not.toContain('hfs_');
  const created = (await auditOf('share.create')) as { arguments: { shareId: string } }[];
  expect(created.filter((entry) => entry.arguments.shareId === made.id)).toHaveLength(1);
}, 60_000);

test('a key that stands for an actor names it in every step', async () => {
  const asked = { tenant: 'default', scopes: ['run'], actor: 'user', actorName: 'Grace' };
  const made = (await host().request('POST', '/v1/api-keys', asked)).body;
  expect(made).toMatchObject({ actor: 'user', actorName: 'Grace' });
  const step = await as(made.key, other).runStep(sessionId, { code: '1', actor: 'agent', actorName: 'Eve' });
  expect(step).toMatchObject({ actor: 'user', actorName: 'Grace' });
  const [listed] = (await host().history(sessionId)).filter(({ id }) => id === step.id);
  expect(listed).toMatchObject({ actor: 'user', actorName: 'Grace' });
}, 60_000);
