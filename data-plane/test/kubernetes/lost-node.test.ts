import type { Session } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reconcileDueSessions } from '../../src/reconcile/duties/reconcile-due-sessions.ts';
import { resync } from '../../src/reconcile/duties/resync.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

/** The names of sandboxes whose destruction nobody confirms, as where a node is gone, and how often each was tried. */
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

test('a hundred sessions of a lost node fail within seconds, and what happens to others is seen meanwhile', async () => {
  const one = await given.replica([]);
  const lost = await sessionsOf(one, 100);
  const [crashed, idle] = (await sessionsOf(one, 2)) as [Session, Session];
  await loseNodeOf(lost, { hinted: true });
  await eventually(async () => expect(await statuses()).toEqual({ active: 2, failed: 100 }), 5000);
  await given.cluster.crash(await given.sandboxOf(crashed), { hinted: true });
  await eventually(async () => expect(await statusOf(one, crashed)).toBe('failed'), 2000);

  await given.db
    .sql`update sessions set last_activity_at = now() - interval '1 day', next_look_at = now() where id = ${idle.id}`;
  for (let turn = 0; turn < 3; turn++) {
    await reconcileDueSessions({ ...one.leave, log: one.log });
    await given.db.sql`update sessions set next_look_at = now()`;
  }
  expect(await statusOf(one, idle)).toBe('expired');
  // However often they are due, what is under way is not begun again.
  await eventually(() => expect(new Set(unconfirmed.values())).toEqual(new Set([1])));
  nodeIsBack.resolve();
  await eventually(async () => expect(await given.cluster.runtime([]).list()).toEqual([]));
}, 60_000);

test('a resync sees a hundred sessions lost within seconds, and its next turn does not wait for what is left of them', async () => {
  const one = await given.replica([]);
  const lost = await sessionsOf(one, 100);
  // Fewer than 30 % are gone at once.
  const others = await sessionsOf(one, 300);
  await loseNodeOf(lost, { hinted: false });
  await resync({ ...one.leave, log: one.log });
  expect(await statuses()).toEqual({ active: 300, failed: 100 });
  const [other] = others as [Session];
  await given.cluster.vanish(await given.sandboxOf(other));
  await resync({ ...one.leave, log: one.log });
  expect(await statusOf(one, other)).toBe('failed');
}, 60_000);

test('a removal that fails is due again after a while, and not only when the next replica would take it for forgotten', async () => {
  const one = await given.replica([]);
  const session = await one.createSession();
  await loseNodeOf([session], { hinted: true });
  await eventually(async () => expect(await statusOf(one, session)).toBe('failed'));
  await reconcileDueSessions({ ...one.leave, log: one.log });
  const dueInSeconds = async () => {
    const [row] = await given.db.sql<{ seconds: number }[]>`
      select extract(epoch from next_look_at - now())::float8 as seconds from sessions`;
    return row?.seconds;
  };
  expect(await dueInSeconds()).toBeGreaterThan(40);
  nodeIsBack.reject(new Error('it is still ending'));
  await one.background.settled();
  expect(await dueInSeconds()).toBeLessThan(11);
});

test('orphans that cannot be removed do not hold a resync up, and are not begun anew while they are under way', async () => {
  const one = await given.replica([]);
  const sessions = await sessionsOf(one, 20);
  await loseNodeOf(sessions, { hinted: false });
  await given.db.sql`truncate sessions cascade`;
  for (let turn = 0; turn < 3; turn++) await resync({ ...one.leave, log: one.log });
  const tried = () => [...unconfirmed.values()];
  await eventually(() => expect(tried().filter((tries) => tries === 1)).toHaveLength(20));
  nodeIsBack.resolve();
  await eventually(async () => expect(await given.cluster.runtime([]).list()).toEqual([]));
  expect(tried().filter((tries) => tries > 1).length).toBeLessThanOrEqual(4);
}, 60_000);

test('who completes a session on a lost node is told within ten seconds that it is not known to have stopped, and when it is', async () => {
  const one = await given.replica([]);
  const sessions = await sessionsOf(one, 2);
  const [completed, deleted] = sessions as [Session, Session];
  await loseNodeOf(sessions, { hinted: false });
  const complete = () => one.verbs.endSession({ caller: one.caller, id: completed.id, to: 'completed' });
  const startedAt = performance.now();
  const answers = await Promise.allSettled([
    complete(),
    complete(),
    one.verbs.deleteSession({ caller: one.caller, id: deleted.id }),
  ]);
  expect(performance.now() - startedAt).toBeLessThan(11_000);
  const unreachable = { slug: 'sandbox-unreachable', status: 503, options: { retryAfterSeconds: 5 } };
  expect(answers).toMatchObject([{ reason: unreachable }, { reason: unreachable }, { value: 'ending' }]);
  expect(await statusOf(one, completed)).toBe('completed');
  nodeIsBack.resolve();
  expect(await complete()).toMatchObject({ status: 'completed', endReason: 'completed_by_host' });
}, 60_000);
