import { newId, type Scope } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

const as = (...scopes: Scope[]) => ({ tenant: 'acme', scopes: new Set(scopes), keyId: null });
const run = as('run');
const host = as('run', 'host');
const forbidden = { slug: 'forbidden' };

async function replicaWith(budget: object) {
  const { verbs } = await given.replica([], { HOLDFAST_DEFAULT_BUDGET: JSON.stringify(budget) });
  const create = (caller: typeof run, more: object) =>
    verbs.createSession({ caller, request: { language: 'python', metadata: {}, env: {}, ...more } });
  const patch = (caller: typeof run, id: string, change: object | null) =>
    verbs.updateSession({ caller, id, patch: { budget: change } });
  return { verbs, create, patch };
}

test('a session without a budget of its own has the default, which only the host may exceed', async () => {
  const { create } = await replicaWith({ iterations: 10, timeSeconds: 60 });
  expect(await create(run, {})).toMatchObject({
    budget: { limits: { iterations: 10, timeSeconds: 60, tokens: null } },
  });
  const less = await create(run, { budget: { iterations: 5, tokens: 7 } });
  expect(less).toMatchObject({ budget: { limits: { iterations: 5, timeSeconds: 60, tokens: 7 } } });
  await expect(create(run, { budget: { iterations: 11 } })).rejects.toMatchObject(forbidden);
  await expect(create(run, { budget: { timeSeconds: null } })).rejects.toMatchObject(forbidden);
  expect(await create(host, { budget: { iterations: 11 } })).toMatchObject({ budget: { limits: { iterations: 11 } } });
  expect(await create(host, { budget: { iterations: null, timeSeconds: null } })).toMatchObject({ budget: null });
});

test('only the host may raise, remove or leave a budget, and anyone may lower it', async () => {
  const { create, patch } = await replicaWith({});
  const { id } = await create(run, { budget: { iterations: 10 } });
  for (const change of [{ iterations: 11 }, { iterations: null }, null]) {
    await expect(patch(run, id, change)).rejects.toMatchObject(forbidden);
  }
  expect(await patch(run, id, { iterations: 9, cost: '1' })).toMatchObject({
    budget: { limits: { iterations: 9, cost: '1' } },
  });
  expect(await patch(host, id, { iterations: 20 })).toMatchObject({
    budget: { limits: { iterations: 20, cost: '1' } },
  });
  expect(await patch(host, id, null)).toMatchObject({ budget: null });
  expect(await patch(run, id, { iterations: 1 })).toMatchObject({ budget: { limits: { iterations: 1, cost: null } } });
});

test('a change that is refused changes nothing', async () => {
  const { create, patch, verbs } = await replicaWith({});
  const { id } = await create(run, { budget: { iterations: 10 } });
  const stranger = patch({ ...host, tenant: 'other' }, id, { iterations: 30 });
  await expect(stranger).rejects.toMatchObject({ slug: 'not-found' });
  const both = { metadata: { a: 'b' }, budget: { iterations: 11 } };
  await expect(verbs.updateSession({ caller: run, id, patch: both })).rejects.toMatchObject(forbidden);
  expect(await verbs.getSession({ caller: run, id })).toMatchObject({
    metadata: {},
    budget: { limits: { iterations: 10 } },
  });
  await verbs.endSession({ caller: run, id, to: 'completed' });
  await expect(patch(host, id, { iterations: 30 })).rejects.toMatchObject({ slug: 'session-ended' });
  expect(await verbs.getSession({ caller: run, id })).toMatchObject({ budget: { limits: { iterations: 10 } } });
});

test('a session shares only the budget of a session of its own tenant that has one', async () => {
  const { create, verbs } = await replicaWith({});
  const { id } = await create(run, { budget: { iterations: 10 } });
  const { id: without } = await create(run, {});
  expect(await create(run, { budgetOf: id })).toMatchObject({ budget: { budgetOf: id } });
  const none = { slug: 'invalid-request', options: { errors: [{ pointer: '/budgetOf' }] } };
  await expect(create(run, { budgetOf: without })).rejects.toMatchObject(none);
  const stranger = { ...run, tenant: 'other' };
  await expect(create(stranger, { budgetOf: id })).rejects.toMatchObject({ slug: 'not-found' });
  const usage = { tokens: 5 };
  const report = verbs.reportUsage({ caller: { ...host, tenant: 'other' }, sessionId: id, usage });
  await expect(report).rejects.toMatchObject({ slug: 'not-found' });
});

test('a report of usage is charged once, although its request comes several times at once', async () => {
  const { create, verbs } = await replicaWith({});
  const { id: sessionId } = await create(run, { budget: { tokens: 100, cost: '1' } });
  const report = { caller: host, sessionId, usage: { tokens: 30, cost: 0.25 }, idempotencyKey: newId('uid') };
  const answers = await Promise.all(Array.from({ length: 6 }, () => verbs.reportUsage(report)));
  const left = { iterations: null, timeSeconds: null, tokens: 70, cost: '0.75' };
  for (const answer of answers) expect(answer).toEqual({ budgetRemaining: left });
  const { items } = await verbs.listAudit({ caller: run, sessionId, operation: 'usage.report', limit: 10 });
  expect(items).toMatchObject([{ tokens: 30, cost: '0.25', decision: 'allowed' }]);
});

test('a session without a budget takes reports, and tells that it has none', async () => {
  const { create, verbs } = await replicaWith({});
  const { id: sessionId } = await create(run, {});
  const reported = verbs.reportUsage({ caller: host, sessionId, usage: { tokens: 1 } });
  expect(await reported).toEqual({ budgetRemaining: null });
});

test('a change of a budget has one entry in the audit log, with the status that follows from it', async () => {
  const { create, patch, verbs } = await replicaWith({});
  const { id } = await create(run, { budget: { iterations: 10 } });
  const entries = async () => {
    const { items } = await verbs.listAudit({ caller: run, sessionId: id, limit: 100 });
    const since = items.findIndex(({ operation }) => operation === 'session.update');
    return items
      .slice(since)
      .map(({ operation, actor, arguments: args }) => [operation, actor, args?.from, args?.status]);
  };
  const expected: unknown[] = [];
  for (const [change, from, status] of [
    [{ iterations: 0 }, 'active', 'budget_exceeded'],
    [{ iterations: 5 }, 'budget_exceeded', 'active'],
    [{ iterations: 6 }, 'active', 'active'],
    [{ tokens: 0 }, 'active', 'budget_exceeded'],
    [null, 'budget_exceeded', 'active'],
    [null, 'active', 'active'],
    [{ iterations: 0 }, 'active', 'budget_exceeded'],
  ] as const) {
    expect(await patch(host, id, change)).toMatchObject({ status });
    expected.push(['session.update', 'host', from, status]);
  }
  expect(await entries()).toEqual(expected);
});

test('a change of limits is answered as it is committed, although the agent cannot be reached', async () => {
  const { create, patch } = await replicaWith({});
  const { id } = await create(run, { budget: { iterations: 10 } });
  const { id: without } = await create(run, {});
  given.cluster.answering = (_, response) => {
    response.socket?.destroy();
    return true;
  };
  expect(await patch(host, id, { iterations: 20 })).toMatchObject({ budget: { limits: { iterations: 20 } } });
  // Another replica may know these sessions with a budget, or without one, and the agent would follow it.
  const unreachable = { slug: 'sandbox-unreachable' };
  for (const change of [{ iterations: 1 }, { iterations: 1 }, null]) {
    await expect(patch(host, without, change)).rejects.toMatchObject(unreachable);
  }
});

test('a session that is to share the budget of a session which is deleted at that moment is refused as for one that was', async () => {
  const { create } = await replicaWith({});
  const { id } = await create(run, { budget: { iterations: 10 } });
  const removed = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const purge = given.db.transaction(async ({ sql }) => {
    await sql`update sessions set delete_requested_at = now(), budget_of = null where id = ${id}`;
    await sql`delete from budgets where session_id = ${id}`;
    removed.resolve();
    await commit.promise;
  });
  await removed.promise;
  const creation = create(run, { budgetOf: id });
  const refusal = expect(creation).rejects.toMatchObject({ slug: 'session-ended' });
  await eventually(async () => {
    const waiting = await given.db.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into sessions%'`;
    expect(waiting).toHaveLength(1);
  });
  commit.resolve();
  await purge;
  await refusal;
});
