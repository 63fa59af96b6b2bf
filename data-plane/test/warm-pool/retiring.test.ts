import { expect, test } from 'vitest';
import { resync } from '../../src/reconcile/duties/resync.ts';
import { reconcileWarmSandbox } from '../../src/reconcile/reconcile.ts';
import { createWarmRemovals } from '../../src/reconcile/warm-pool/warm-removals.ts';
import { SandboxError, type SandboxKey } from '../../src/runtimes/runtime.ts';
import { eventually } from '../support/eventually.ts';
import { asked, maintain, poolOf, warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

test('replicas with different templates leave both in the pool and claim only their own, until one replica is gone', async () => {
  const before = await given.replica([poolOf(2, 'before')]);
  const old = await given.filled(before, 2);
  const after = await given.replica([poolOf(2, 'after')]);
  await given.filled(after, 4);
  await Promise.all([maintain(before), maintain(after)]);
  expect(await given.readyNames()).toHaveLength(4);
  const claimed = await given.sandboxOf(await after.createSession(asked));
  expect(old).not.toContain(claimed);
  await given.expireRequests({ template: 'before' });
  await maintain(after);
  await eventually(async () => {
    expect((await given.rows()).map(({ template }) => template)).toEqual(['after', 'after']);
    expect(given.livingNames().filter((name) => old.includes(name))).toEqual([]);
  });
});

test('a pool that is no longer configured is emptied, and a smaller one shrinks', async () => {
  const large = await given.replica([poolOf(3)]);
  await given.filled(large, 3);
  const small = await given.replica([poolOf(1)]);
  await given.expireRequests({ size: 3 });
  await given.filled(small, 1);
  await eventually(() => expect(given.livingNames()).toHaveLength(1));
  const none = await given.replica([]);
  await given.expireRequests({});
  await maintain(none);
  await eventually(() => expect(given.livingNames()).toEqual([]));
});

test('replaces a warm sandbox before it ends by itself', async () => {
  const one = await given.replica([poolOf(1)], { HOLDFAST_WARM_SANDBOX_SECONDS: '1000' });
  const [old = ''] = await given.filled(one, 1);
  await given.db.sql`update warm_sandboxes set created_at = now() - interval '850 seconds'`;
  await given.filled(one, 2);
  await maintain(one);
  await eventually(() => expect(given.livingNames()).toHaveLength(1));
  expect(given.livingNames()).not.toContain(old);
});

const old = (name: string) => Object.assign(given.cluster.named(name).sandbox, { createdAt: new Date(0) });

test('a resync does not count a starting, ready or claimed warm sandbox as an orphan', async () => {
  const one = await given.replica([poolOf(3)]);
  const [starting = '', , claimed = ''] = await given.filled(one, 3);
  await given.db.sql`update warm_sandboxes set ready_at = null, uid = null where name = ${starting}`;
  await given.db.sql`update warm_sandboxes set session_id = 'ses' where name = ${claimed}`;
  const all = given.livingNames();
  for (const name of all) old(name);
  await resync({ ...one });
  await one.backgroundSettled();
  // The pool may have added a sandbox meanwhile, in place of the claimed one.
  expect(given.livingNames()).toEqual(expect.arrayContaining(all));
  expect((await given.rows()).map(({ name }) => name)).toEqual(expect.arrayContaining(all));
});

test('a resync drops the row of a sandbox that is gone, and removes one that has ended', async () => {
  const one = await given.replica([poolOf(3)]);
  const [gone = '', ended = '', kept = ''] = await given.filled(one, 3);
  await given.cluster.vanish(gone);
  await given.cluster.crash(ended);
  await resync({ ...one });
  expect((await given.rows()).map(({ name }) => name)).toEqual([kept]);
  await eventually(async () => expect(await given.cluster.runtime([]).list()).toMatchObject([{ name: kept }]));
});

test('a hint of the runtime is enough to remove a sandbox that has ended', async () => {
  const one = await given.replica([poolOf(1)]);
  const [name = ''] = await given.filled(one, 1);
  await given.cluster.crash(name, { hinted: true });
  await eventually(async () => expect((await given.rows()).map((row) => row.name)).not.toContain(name));
  await eventually(async () => expect(await given.cluster.runtime([]).inspect(name)).toBeNull());
});

test('leaves a claimed sandbox to its session', async () => {
  const one = await given.replica([poolOf(1)]);
  const [name = ''] = await given.filled(one, 1);
  await given.db.sql`update warm_sandboxes set session_id = 'ses'`;
  const { uid } = given.cluster.named(name).sandbox;
  await given.cluster.crash(name);
  await reconcileWarmSandbox({ ...one }, { name, uid });
  expect(await given.rows()).toHaveLength(1);
});

test('pauses between attempts to remove a sandbox, and logs a failure again only if its reason changes', async () => {
  const one = await given.replica([poolOf(2)]);
  const [stuck = '', free = ''] = await given.filled(one, 2);
  const { inspect, destroy } = given.cluster.runtime([]);
  let fault: SandboxError | null = new SandboxError('runtime_unavailable', 'it is still ending');
  let tries = 0;
  const runtime = {
    inspect,
    async destroy(sandbox: SandboxKey) {
      if (sandbox.name === stuck) tries += 1;
      if (sandbox.name === stuck && fault) throw fault;
      await destroy(sandbox);
    },
  };
  let nowMs = 0;
  const removals = createWarmRemovals({ db: given.db, runtime, log: one.log, nowMs: () => nowMs });
  const logged = () => one.lines.filter((line) => line.includes('could not be removed')).length;
  const remove = async (...names: string[]) => {
    removals.remove(names);
    await removals.settled();
    return { tries, logged: logged() };
  };
  expect(await remove(stuck, free)).toEqual({ tries: 1, logged: 1 });
  expect((await given.rows()).map(({ name }) => name)).toEqual([stuck]);
  nowMs = 1999;
  expect(await remove(stuck)).toEqual({ tries: 1, logged: 1 });
  nowMs = 2000;
  expect(await remove(stuck)).toEqual({ tries: 2, logged: 1 });
  nowMs = 5999;
  expect(await remove(stuck)).toEqual({ tries: 2, logged: 1 });
  fault = new SandboxError('node_lost', 'its node is gone');
  nowMs = 6000;
  expect(await remove(stuck)).toEqual({ tries: 3, logged: 2 });
  fault = null;
  nowMs += 60_000;
  expect(await remove(stuck)).toEqual({ tries: 4, logged: 2 });
  expect(await given.rows()).toEqual([]);
});
