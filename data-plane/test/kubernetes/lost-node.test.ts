import type { Session } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reconcileDueSessions } from '../../src/reconcile/duties/reconcile-due-sessions.ts';
import { resync } from '../../src/reconcile/duties/resync.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

/** The sandboxes whose destruction is never confirmed, as if their node was gone, and the number of attempts for each. */
const unconfirmed = new Map<string, number>();
let nodeIsBack: PromiseWithResolvers<void>;
beforeEach(() => {
  nodeIsBack = Promise.withResolvers();
  given.cluster.beforeDestroy = async ({ name }) => {
    const tries = unconfirmed.get(name);
    if (tries === undefined) return;
    unconfirmed.set(name, tries + 1);
    await nodeIsBack.promise;
  };
});
afterEach(() => {
  nodeIsBack.resolve();
  unconfirmed.clear();
});

const sessionsOf = (replica: TestReplica, count: number) =>
  Promise.all(Array.from({ length: count }, () => replica.createSession()));

async function loseNodeOf(sessions: Session[], { hinted }: { hinted: boolean }): Promise<void> {
  const names = await Promise.all(sessions.map(given.sandboxOf));
  for (const name of names) unconfirmed.set(name, 0);
  await Promise.all(names.map((name) => given.cluster.crash(name, { hinted })));
}

const statusOf = async (replica: TestReplica, { id }: Session) =>
  (await replica.verbs.getSession({ caller: replica.caller, id })).status;

const statuses = async () =>
  Object.fromEntries(
    (
      await given.db.sql<{ status: string; count: number }[]>`
        select status, count(*)::int as count from sessions group by status`
    ).map(({ status, count }) => [status, count]),
  );

test('a hundred sessions of a lost node fail, and the ends of other sessions are noticed meanwhile', async () => {
  const one = await given.replica([]);
  const lost = await sessionsOf(one, 100);
  const [crashed, idle] = (await sessionsOf(one, 2)) as [Session, Session];
  await loseNodeOf(lost, { hinted: true });
  await eventually(async () => expect(await statuses()).toEqual({ active: 2, failed: 100 }), 30_000);
  await given.cluster.crash(await given.sandboxOf(crashed), { hinted: true });
  await eventually(async () => expect(await statusOf(one, crashed)).toBe('failed'), 30_000);

  await given.db
    .sql`update sessions set last_activity_at = now() - interval '1 day', next_look_at = now() where id = ${idle.id}`;
  for (let round = 0; round < 3; round++) {
    await reconcileDueSessions({ ...one });
    await given.db.sql`update sessions set next_look_at = now()`;
  }
  expect(await statusOf(one, idle)).toBe('expired');
  // A destruction that is under way is not started again, however often its session is due.
  await eventually(() => expect(new Set(unconfirmed.values())).toEqual(new Set([1])));
  nodeIsBack.resolve();
  await eventually(async () => expect(await given.cluster.runtime([]).list()).toEqual([]));
}, 60_000);

test('a resync finds a hundred lost sessions, and the next resync does not wait for their sandboxes', async () => {
  const one = await given.replica([]);
  const lost = await sessionsOf(one, 100);
  // With these, fewer than 30 % of the sandboxes are gone, which a resync accepts.
  const others = await sessionsOf(one, 300);
  await loseNodeOf(lost, { hinted: false });
  await resync({ ...one });
  expect(await statuses()).toEqual({ active: 300, failed: 100 });
  const [other] = others as [Session];
  await given.cluster.vanish(await given.sandboxOf(other));
  await resync({ ...one });
  expect(await statusOf(one, other)).toBe('failed');
}, 60_000);

test('a removal that fails is due again soon, long before another replica would hand it over', async () => {
  const one = await given.replica([]);
  const session = await one.createSession();
  await loseNodeOf([session], { hinted: true });
  await eventually(async () => expect(await statusOf(one, session)).toBe('failed'));
  await reconcileDueSessions({ ...one });
  const dueInSeconds = async () => {
    const [row] = await given.db.sql<{ seconds: number }[]>`
      select extract(epoch from next_look_at - now())::float8 as seconds from sessions`;
    return row?.seconds;
  };
  expect(await dueInSeconds()).toBeGreaterThan(40);
  await eventually(() => expect([...unconfirmed.values()]).toEqual([1]));
  nodeIsBack.reject(new Error('it is still ending'));
  await one.backgroundSettled();
  expect(await dueInSeconds()).toBeLessThan(11);
});

test('orphans that cannot be removed do not delay a resync, and their removal is not started twice', async () => {
  const one = await given.replica([]);
  const sessions = await sessionsOf(one, 20);
  await loseNodeOf(sessions, { hinted: false });
  await given.owner.sql`truncate sessions, steps cascade`;
  for (let round = 0; round < 3; round++) await resync({ ...one });
  const tried = () => [...unconfirmed.values()];
  await eventually(() => expect(tried().filter((tries) => tries === 1)).toHaveLength(20));
  nodeIsBack.resolve();
  await eventually(async () => expect(await given.cluster.runtime([]).list()).toEqual([]));
  expect(tried().filter((tries) => tries > 1).length).toBeLessThanOrEqual(4);
}, 60_000);

test('completing a session on a lost node answers before the node is back that the end is not confirmed, and later that it is', async () => {
  const one = await given.replica([]);
  const sessions = await sessionsOf(one, 2);
  const [completed, deleted] = sessions as [Session, Session];
  await loseNodeOf(sessions, { hinted: false });
  const complete = () => one.verbs.endSession({ caller: one.caller, id: completed.id, to: 'completed' });
  const answers = await Promise.allSettled([
    complete(),
    complete(),
    one.verbs.deleteSession({ caller: one.caller, id: deleted.id }),
  ]);
  const unreachable = { slug: 'sandbox-unreachable', status: 503, options: { retryAfterSeconds: 5 } };
  expect(answers).toMatchObject([{ reason: unreachable }, { reason: unreachable }, { value: 'ending' }]);
  expect(await statusOf(one, completed)).toBe('completed');
  nodeIsBack.resolve();
  expect(await complete()).toMatchObject({ status: 'completed', endReason: 'completed_by_host' });
}, 60_000);
