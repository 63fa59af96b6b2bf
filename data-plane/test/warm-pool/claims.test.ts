import { expect, test } from 'vitest';
import { dropConnections } from '../../src/reconcile/duties/drop-connections.ts';
import { insertSession } from '../../src/registry/sessions/insert-session.ts';
import { eventually } from '../support/eventually.ts';
import { sessionInput } from '../support/registry-rows.ts';
import { asked, isWarm, maintain, metric, poolOf, warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

test('no two of a hundred creations at two replicas share one of thirty warm sandboxes', async () => {
  const both = [await given.replica([poolOf(30)]), await given.replica([poolOf(30)])] as const;
  await given.filled(both[0], 30);
  given.cluster.beforeLaunch = async ({ warm }, signal) => {
    // The pool is not refilled, so that only its first sandboxes can be claimed.
    if (warm) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  // Each for another tenant, because creations of one tenant wait for each other.
  const sessions = await Promise.all(
    Array.from({ length: 100 }, (_, i) => both[i % 2 === 0 ? 0 : 1].createSession(asked, { tenant: `tenant-${i}` })),
  );
  expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(['active']));
  const names = await Promise.all(sessions.map(given.sandboxOf));
  expect(new Set(names).size).toBe(100);
  expect(names.filter(isWarm)).toHaveLength(30);
  for (const { agent, sandbox } of given.cluster.launched)
    expect([sandbox.name, agent.sessions.size]).toEqual([sandbox.name, 1]);
  expect((await given.rows()).filter(({ ready }) => ready)).toEqual([]);
});

test('a session of another profile or network gets a sandbox of its own', async () => {
  const one = await given.replica([poolOf(1)]);
  const [name] = await given.filled(one, 1);
  expect(await given.sandboxOf(await one.createSession({ network: 'none' }))).not.toBe(name);
  expect(await given.sandboxOf(await one.createSession(asked))).toBe(name);
  expect(await metric(one, 'holdfast_warm_claims_total{result="warm"}')).toMatch(/ 1$/);
  expect(await metric(one, 'holdfast_warm_claims_total{result="cold"}')).toBeUndefined();
});

test('a session whose warm sandbox does not answer gets another one, and the first one is removed', async () => {
  const one = await given.replica([poolOf(1)]);
  const [dead = ''] = await given.filled(one, 1);
  await given.cluster.crash(dead);
  const session = await one.createSession(asked);
  expect(session.status).toBe('active');
  expect(isWarm(await given.sandboxOf(session))).toBe(false);
  await one.backgroundSettled();
  await expect(given.cluster.runtime([]).inspect(dead)).resolves.toBeNull();
  expect((await given.rows()).map(({ name }) => name)).not.toContain(dead);
});

test('the row and the sandbox of a claim whose replica died are removed with the session', async () => {
  const one = await given.replica([poolOf(2)]);
  await given.filled(one, 2);
  const claim = async () => {
    const warm = { profile: 'default', network: 'internet', template: 'one', ageSecondsMax: 1000 } as const;
    const made = await insertSession(given.db, { ...sessionInput(), warm });
    return { id: made?.session.id ?? '', name: made?.claimed?.name ?? '' };
  };
  const [deleted, swept] = [await claim(), await claim()];
  await maintain(one);
  expect(given.livingNames()).toEqual(expect.arrayContaining([deleted.name, swept.name]));

  expect(await one.verbs.deleteSession({ caller: one.caller, id: deleted.id })).toBe('gone');
  expect(given.livingNames()).not.toContain(deleted.name);
  // As if another replica had ended the session and died before it looked for the sandbox.
  await given.db.sql`update sessions set status = 'failed', ended_at = now() where id = ${swept.id}`;
  await maintain(one);
  await eventually(async () => {
    expect(given.livingNames()).not.toContain(swept.name);
    expect((await given.rows()).filter((row) => row.sessionId)).toEqual([]);
  });
});

test('a repeat with the same key after a crash continues with the claimed sandbox', async () => {
  const one = await given.replica([poolOf(1)]);
  const [name] = await given.filled(one, 1);
  const other = await given.replica([poolOf(1)]);
  await given.owner.sql`create function fail() returns trigger language plpgsql as $$ begin raise 'crash'; end $$`;
  await given.owner.sql`create trigger crash before update on sessions execute function fail()`;
  await expect(one.createSession(asked, { idempotencyKey: 'key' })).rejects.toThrow();
  await given.owner.sql`drop trigger crash on sessions`;
  const session = await other.createSession(asked, { idempotencyKey: 'key' });
  expect(await given.sandboxOf(session)).toBe(name);
  expect(await one.createSession(asked, { idempotencyKey: 'key' })).toEqual(session);
  expect(given.cluster.launched.filter(({ sandbox }) => !isWarm(sandbox.name))).toEqual([]);
});

test('a claim uses a connection that its replica has opened before', async () => {
  const launching = await given.replica([poolOf(1)]);
  const claiming = await given.replica([poolOf(1)]);
  const [name = ''] = await given.filled(launching, 1);
  const { sandbox } = given.cluster.named(name);
  let [proofs, prepared] = [0, 0];
  const { port } = new URL(sandbox.endpoint ?? '');
  given.cluster.answering = ({ url, socket }) => {
    if (socket.localPort === Number(port) && url === '/v1/proof') proofs += 1;
    if (socket.localPort === Number(port) && url === '/healthz') prepared += 1;
    return false;
  };
  await eventually(async () => {
    await maintain(claiming);
    expect([proofs, prepared]).toEqual([1, 1]);
  });
  await maintain(claiming);
  await dropConnections(claiming.duties);
  expect(await given.sandboxOf(await claiming.createSession(asked))).toBe(name);
  expect([proofs, prepared]).toEqual([1, 1]);
});

test('a sandbox that was told of a session that is then not committed leaves its pool', async () => {
  const one = await given.replica([poolOf(1)]);
  const [name = ''] = await given.filled(one, 1);
  const { agent } = given.cluster.named(name);
  await given.owner.sql`create function fail() returns trigger language plpgsql as $$ begin raise 'no commit'; end $$`;
  await given.owner.sql`
    create constraint trigger at_commit after insert on sessions deferrable initially deferred
    for each row execute function fail()`;
  await expect(one.createSession(asked)).rejects.toThrow();
  await given.owner.sql`drop trigger at_commit on sessions`;
  expect(await given.db.sql`select from sessions`).toHaveLength(0);
  await eventually(async () => {
    expect(given.livingNames()).not.toContain(name);
    expect((await given.rows()).map((row) => row.name)).not.toContain(name);
  });
  const session = await one.createSession(asked);
  expect(await given.sandboxOf(session)).not.toBe(name);
  expect(agent.sessions).not.toContain(session.id);
});

test('without pools a creation does not query warm sandboxes', async () => {
  const one = await given.replica([]);
  await given.owner.sql`alter table warm_sandboxes rename column ready_at to nowhere`;
  expect((await one.createSession(asked)).status).toBe('active');
});

test('a session whose warm sandbox ends just before the bind fails with the cause before any resync', async () => {
  const one = await given.replica([poolOf(1)]);
  const [name = ''] = await given.filled(one, 1);
  const created = await given.db.transaction(async ({ sql: tx }) => {
    // The bind waits for this transaction; reads do not.
    await tx`lock table session_routes in exclusive mode`;
    const creation = one.createSession(asked);
    creation.catch(() => {});
    const { agent } = given.cluster.named(name);
    await eventually(() => expect(agent.sessions.size).toBe(1));
    await given.cluster.crash(name, { hinted: true });
    await eventually(() => expect(one.lines.join()).toContain('warm sandbox lost'));
    return { creation };
  });
  const { id } = await created.creation;
  await eventually(async () => {
    const session = await one.verbs.getSession({ caller: one.caller, id });
    expect(session).toMatchObject({ status: 'failed', endReason: 'sandbox_lost' });
  });
});
