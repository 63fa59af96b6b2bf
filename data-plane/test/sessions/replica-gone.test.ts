import { afterEach, describe, expect, test } from 'vitest';
import { reconcileDueSessions } from '../../src/reconcile/duties/reconcile-due-sessions.ts';
import { resync } from '../../src/reconcile/duties/resync.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { insertSession } from '../../src/registry/sessions/insert-session.ts';
import { claimWarmSandbox } from '../../src/registry/warm-sandboxes/claim-warm-sandbox.ts';
import { removeSandbox } from '../../src/sessions/remove-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { sessionInput } from '../support/registry-rows.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { asked, poolOf, warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

/** Lets go of everything that hangs, as a replica does that wakes up long after it was given up. */
let wake = Promise.withResolvers<void>();
afterEach(() => {
  wake.resolve();
  wake = Promise.withResolvers<void>();
});

/** Makes the first that comes to this point hang, and resolves when it has come. */
const points = {
  'before the launch': (reached: () => void) => {
    given.cluster.beforeLaunch = async () => {
      given.cluster.beforeLaunch = async () => {};
      reached();
      await wake.promise;
    };
  },
  'before the agent has proved itself': (reached: () => void) => hangRequest('POST', '/v1/proof', reached),
  'before the agent knows its session': (reached: () => void) => hangRequest('PUT', '/v1/session', reached),
  'before the fence is acknowledged': (reached: () => void) => hangRequest('POST', '/v1/fence', reached),
  'before the sandbox is destroyed': (reached: () => void) => {
    given.cluster.beforeDestroy = async () => {
      given.cluster.beforeDestroy = async () => {};
      reached();
      await wake.promise;
    };
  },
};

function hangRequest(method: string, url: string, reached: () => void): void {
  let hangs = true;
  given.cluster.answering = (request, response) => {
    if (!hangs || request.method !== method || request.url !== url) return false;
    hangs = false;
    reached();
    wake.promise.then(() => response.destroy());
    return true;
  };
}

const reach = (point: keyof typeof points) => new Promise<void>((resolve) => points[point](resolve));

/** As if the replica had been killed: its heartbeats have stopped, but not those of the others, and what it does hangs. */
const kill = ({ replicaId }: TestReplica) =>
  given.db.sql`
    update replicas set beating_since = now() - interval '16 seconds',
      heartbeat_at = case id when ${replicaId} then now() - interval '16 seconds' else now() end`;

const onlySession = async () => (await given.db.sql<{ id: string }[]>`select id from sessions`)[0]?.id ?? '';
const found = async (id: string) => (await findSession(given.db, { id })) ?? expect.fail('the session is gone');
const isGone = async (id: string) => expect((await found(id)).sandboxGoneAt).toBeInstanceOf(Date);

describe.each([
  'before the launch',
  'before the agent has proved itself',
  'before the agent knows its session',
] as const)('a replica that is killed during a creation, %s', (point) => {
  test('leaves a session that another replica ends, and whose sandbox it removes', async () => {
    const [first, second] = [await given.replica([]), await given.replica([])];
    const reached = reach(point);
    const begun = first.createSession();
    begun.catch(() => {});
    await reached;
    const id = await onlySession();
    await reconcileDueSessions(second.duties);
    expect(await found(id)).toMatchObject({ status: 'creating' });
    await kill(first);
    await reconcileDueSessions(second.duties);
    const end = { status: 'failed', endReason: 'sandbox_start_failed', endMessage: expect.stringContaining('is gone') };
    expect(await found(id)).toMatchObject(end);
    await eventually(() => isGone(id));
    wake.resolve();
    await expect(begun).rejects.toMatchObject({ slug: 'session-ended' });
    await eventually(() => expect(given.livingNames()).toEqual([]));
    expect(await found(id)).toMatchObject(end);
  });

  test('leaves a session that the repeat of the request continues, if it came with a key', async () => {
    const [first, second] = [await given.replica([]), await given.replica([])];
    const reached = reach(point);
    const begun = first.createSession({}, { idempotencyKey: 'one session' });
    begun.catch(() => {});
    await reached;
    await kill(first);
    await reconcileDueSessions(second.duties);
    const { id } = await second.createSession({}, { idempotencyKey: 'one session' });
    expect(id).toBe(await onlySession());
    const states = await given.db.sql`select state, replica_id from sandboxes`;
    expect([...states]).toEqual([{ state: 'bound', replica_id: null }]);
    wake.resolve();
    await begun.catch(() => {});
    expect(await found(id)).toMatchObject({ status: 'active' });
    expect(given.livingNames()).toHaveLength(1);
  });
});

test.each(['before the fence is acknowledged', 'before the sandbox is destroyed'] as const)(
  'the removal of a sandbox goes on at another replica at once if its replica is killed %s',
  async (point) => {
    const [first, second] = [await given.replica([]), await given.replica([])];
    const { id } = await first.createSession();
    const reached = reach(point);
    const deleted = first.verbs.deleteSession({ caller: first.caller, id });
    deleted.catch(() => {});
    await reached;
    await given.db.sql`update sessions set next_look_at = now() + interval '45 seconds'`;
    await reconcileDueSessions(second.duties);
    expect(given.livingNames()).toHaveLength(1);
    await kill(first);
    await reconcileDueSessions(second.duties);
    await eventually(async () => expect(await findSession(given.db, { id })).toBeNull());
    expect(given.livingNames()).toEqual([]);
    wake.resolve();
    expect(await deleted).toBe('gone');
  },
);

test('a late removal of an earlier epoch leaves the sandbox alone that the session has claimed for the next one', async () => {
  const one = await given.replica([poolOf(2)]);
  await given.filled(one, 2);
  const { id } = await one.createSession(asked);
  await given.db.sql`update sessions set epoch = 2, status = 'creating' where id = ${id}`;
  const [pool] = [poolOf(2)];
  const claimed = await claimWarmSandbox(given.db, { sessionId: id, epoch: 2, ...pool, ageSecondsMax: 1000 });
  await removeSandbox(one, { id, epoch: 1 });
  expect(given.livingNames()).toContain(claimed?.name);
  expect((await given.rows()).map(({ name }) => name)).toContain(claimed?.name);
});

test('a resync leaves a sandbox alone that a newer replica launches for a session in a status of its own', async () => {
  const one = await given.replica([]);
  const made = (await insertSession(given.db, sessionInput())) ?? expect.fail('quota');
  const { id } = made.session;
  await given.db.sql`update sessions set status = 'recovering', epoch = 2 where id = ${id}`;
  await given.db.sql`insert into sandboxes (session_id, epoch, name, state) values (${id}, 2, 'second', 'launching')`;
  const spec = { profile: 'default', network: 'internet' } as const;
  await given.cluster.runtime([]).launch({ name: 'second', ...spec }, AbortSignal.timeout(10_000));
  await given.cluster.runtime([]).launch({ name: 'orphan', ...spec }, AbortSignal.timeout(10_000));
  for (const { sandbox } of given.cluster.living()) sandbox.createdAt = new Date(0);
  await resync(one.duties);
  await eventually(() => expect(given.livingNames()).toEqual(['second']));
  await one.backgroundSettled();
  expect(given.livingNames()).toEqual(['second']);
});

test('a session in a status that this version does not know is answered with 503, and with nothing else', async () => {
  const one = await given.replica([]);
  const { id } = await one.createSession();
  await given.db.sql`update sessions set status = 'hibernating' where id = ${id}`;
  const at = { caller: one.caller, id };
  const newer = { slug: 'session-starting', options: { detail: expect.stringContaining('hibernating') } };
  await expect(one.verbs.deleteSession(at)).rejects.toMatchObject(newer);
  await expect(one.verbs.endSession({ ...at, to: 'completed' })).rejects.toMatchObject(newer);
  await expect(one.routes.refresh({ sessionId: id, tenant: 'acme' })).rejects.toMatchObject(newer);
  expect(await found(id)).toMatchObject({ status: 'hibernating' });
});
