import type { Session } from '@holdfast/specs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lookAtWarmSandbox } from '../src/reconcile/look-at-ended-sandbox.ts';
import { resync } from '../src/reconcile/resync.ts';
import { findRoute } from '../src/registry/find-route.ts';
import { insertSession } from '../src/registry/insert-session.ts';
import { SandboxError, type WarmPool } from '../src/runtimes/runtime.ts';
import { eventually } from './eventually.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { sessionInput } from './registry-rows.ts';
import { createScriptedCluster, type ScriptedCluster } from './scripted-runtime.ts';
import { startReplica, type TestReplica } from './start-replica.ts';

let database: TestDatabase;
let cluster: ScriptedCluster;
const replicas: TestReplica[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  cluster = createScriptedCluster();
});
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
  await cluster.close();
  await database.drop();
});

const poolOf = (size: number, template = 'one'): WarmPool => ({
  profile: 'default',
  network: 'internet',
  size,
  template,
});
const asked = { network: 'internet' as const };

async function replica(warmPools: WarmPool[], env: Record<string, string> = {}): Promise<TestReplica> {
  const started = await startReplica({ address: database.address, runtime: cluster.runtime(warmPools), env });
  replicas.push(started);
  return started;
}

const turn = (of: TestReplica) => of.reconciling.warmPools.turn();
const rows = async () =>
  await database.db.sql<{ name: string; template: string; session_id: string | null; ready: boolean }[]>`
    select name, template, session_id, ready_at is not null as ready from warm_sandboxes order by name`;
const readyNames = async () =>
  (await rows()).filter(({ ready, session_id }) => ready && !session_id).map(({ name }) => name);
const livingNames = () =>
  cluster
    .living()
    .map(({ sandbox }) => sandbox.name)
    .toSorted();

/** Takes turns until that many are ready, and those alone live beside the sessions' own. */
async function filled(of: TestReplica, count: number): Promise<string[]> {
  await turn(of);
  return await eventually(async () => {
    const names = await readyNames();
    expect(names).toHaveLength(count);
    return names;
  });
}

const sandboxOf = async ({ id }: Session) => (await findRoute(database.db, { sessionId: id }))?.sandboxName ?? '';
const isWarm = (name: string) => name.startsWith('warm-');
const metric = async ({ metrics }: TestReplica, line: string) =>
  (await metrics.exposition()).text.split('\n').find((one) => one.startsWith(line));

describe('claims', () => {
  test('of a hundred creations at two replicas over thirty warm sandboxes, none shares one', async () => {
    const both = [await replica([poolOf(30)]), await replica([poolOf(30)])] as const;
    await filled(both[0], 30);
    cluster.beforeLaunch = async ({ warm }, signal) => {
      // Nothing is refilled, so that what is claimed is what there was.
      if (warm) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    // Of a tenant each, since those of one wait for each other.
    const sessions = await Promise.all(
      Array.from({ length: 100 }, (_, i) => both[i % 2 === 0 ? 0 : 1].createSession(asked, { tenant: `tenant-${i}` })),
    );
    expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(['active']));
    const names = await Promise.all(sessions.map(sandboxOf));
    expect(new Set(names).size).toBe(100);
    expect(names.filter(isWarm)).toHaveLength(30);
    for (const { agent, sandbox } of cluster.launched)
      expect([sandbox.name, agent.sessions.size]).toEqual([sandbox.name, 1]);
    expect((await rows()).filter(({ ready }) => ready)).toEqual([]);
  });

  test('a session of another profile or network gets a sandbox of its own', async () => {
    const one = await replica([poolOf(1)]);
    const [name] = await filled(one, 1);
    expect(await sandboxOf(await one.createSession({ network: 'none' }))).not.toBe(name);
    expect(await sandboxOf(await one.createSession(asked))).toBe(name);
    expect(await metric(one, 'holdfast_warm_claims_total{result="warm"}')).toMatch(/ 1$/);
    expect(await metric(one, 'holdfast_warm_claims_total{result="cold"}')).toBeUndefined();
  });

  test('a session whose warm sandbox does not answer gets another one, and the bad one goes', async () => {
    const one = await replica([poolOf(1)]);
    const [dead = ''] = await filled(one, 1);
    await cluster.crash(dead);
    const session = await one.createSession(asked);
    expect(session.status).toBe('active');
    expect(isWarm(await sandboxOf(session))).toBe(false);
    await one.background.settled();
    await expect(cluster.runtime([]).inspect(dead)).resolves.toBeNull();
    expect((await rows()).map(({ name }) => name)).not.toContain(dead);
  });

  test('of a claim whose replica died, the row and the sandbox go with the session', async () => {
    const one = await replica([poolOf(2)]);
    await filled(one, 2);
    const claim = async () => {
      const warm = { profile: 'default', network: 'internet', template: 'one', ageSecondsMax: 1000 } as const;
      const made = await insertSession(database.db, { ...sessionInput(), warm });
      return { id: made?.session.id ?? '', name: made?.claimed?.name ?? '' };
    };
    const [deleted, swept] = [await claim(), await claim()];
    await turn(one);
    expect(livingNames()).toEqual(expect.arrayContaining([deleted.name, swept.name]));

    expect(await one.verbs.deleteSession({ caller: one.caller, id: deleted.id })).toBe('gone');
    expect(livingNames()).not.toContain(deleted.name);
    // Another replica ended the session and died before it looked for the sandbox.
    await database.db.sql`update sessions set status = 'failed', ended_at = now() where id = ${swept.id}`;
    await turn(one);
    await eventually(async () => {
      expect(livingNames()).not.toContain(swept.name);
      expect((await rows()).filter((row) => row.session_id)).toEqual([]);
    });
  });

  test('a repeat with the same key after a crash goes on with the sandbox that was claimed', async () => {
    const one = await replica([poolOf(1)]);
    const [name] = await filled(one, 1);
    const other = await replica([poolOf(1)]);
    await database.db.sql`create function fail() returns trigger language plpgsql as $$ begin raise 'crash'; end $$`;
    await database.db.sql`create trigger crash before update on sessions execute function fail()`;
    await expect(one.createSession(asked, { idempotencyKey: 'key' })).rejects.toThrow();
    await database.db.sql`drop trigger crash on sessions`;
    const session = await other.createSession(asked, { idempotencyKey: 'key' });
    expect(await sandboxOf(session)).toBe(name);
    expect(await one.createSession(asked, { idempotencyKey: 'key' })).toEqual(session);
    expect(cluster.launched.filter(({ sandbox }) => !isWarm(sandbox.name))).toEqual([]);
  });

  test('without pools nothing warm is asked for', async () => {
    const one = await replica([]);
    await database.db.sql`alter table warm_sandboxes rename column ready_at to nowhere`;
    expect((await one.createSession(asked)).status).toBe('active');
  });
});

describe('filling', () => {
  test('by three replicas at once never has more than the pool holds', async () => {
    const all = await Promise.all([1, 2, 3].map(() => replica([poolOf(20)])));
    let most = 0;
    cluster.beforeLaunch = async () => {
      most = Math.max(most, (await rows()).length);
    };
    await Promise.all(all.map(turn));
    await Promise.all(all.map(turn));
    await filled(all[0] as TestReplica, 20);
    expect(most).toBeLessThanOrEqual(20);
    expect(cluster.launched).toHaveLength(20);
    expect(
      await metric(
        all[0] as TestReplica,
        'holdfast_warm_sandboxes{profile="default",network="internet",state="ready"}',
      ),
    ).toBeDefined();
  });

  test('what was claimed is replaced at once, without a turn', async () => {
    const one = await replica([poolOf(2)]);
    await filled(one, 2);
    await one.createSession(asked);
    await eventually(async () => expect(await readyNames()).toHaveLength(2));
  });

  test('while launches fail they are tried one at a time and ever more rarely, and that is logged once', async () => {
    const triedAtMs: number[] = [];
    const fail = new SandboxError('image_pull_failed', 'no such image');
    cluster.beforeLaunch = async () => {
      triedAtMs.push(performance.now());
      throw fail;
    };
    const one = await replica([poolOf(20)]);
    await eventually(async () => {
      await turn(one);
      expect(triedAtMs.length).toBeGreaterThanOrEqual(10);
    });
    const [eighth = 0, ninth = 0, tenth = 0] = triedAtMs.slice(7);
    expect(ninth - eighth).toBeGreaterThan(490);
    expect(tenth - ninth).toBeGreaterThan(990);
    expect(one.lines.filter((line) => line.includes('a warm sandbox did not start'))).toHaveLength(1);

    cluster.beforeLaunch = async () => {};
    await eventually(async () => {
      await turn(one);
      expect(await readyNames()).toHaveLength(20);
    });
    expect(one.lines.filter((line) => line.includes('warm sandboxes start again'))).toHaveLength(1);
  });

  test('a stop gives up what is starting and leaves what is ready', async () => {
    const one = await replica([poolOf(3)]);
    let launches = 0;
    cluster.beforeLaunch = async (_spec, signal) => {
      launches += 1;
      if (launches > 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const [kept] = await filled(one, 1);
    await eventually(() => expect(launches).toBe(3));
    await replicas.pop()?.stop();
    expect((await rows()).map(({ name }) => name)).toEqual([kept]);
    expect(livingNames()).toEqual([kept]);
  });

  test('what a replica was starting when it died is removed by another', async () => {
    const dead = await replica([poolOf(1)], { HOLDFAST_SESSION_START_SECONDS: '60' });
    const [name = ''] = await filled(dead, 1);
    await database.db
      .sql`update warm_sandboxes set ready_at = null, uid = null, created_at = now() - interval '71 seconds'`;
    const other = await replica([poolOf(1)], { HOLDFAST_SESSION_START_SECONDS: '60' });
    const [next] = await filled(other, 1);
    expect(next).not.toBe(name);
    await eventually(() => expect(livingNames()).toEqual([next]));
  });
});

describe('retiring', () => {
  const forgetWishes = (template: string) =>
    database.db.sql`update warm_wishes set seen_at = seen_at - interval '31 seconds' where template = ${template}`;

  test('replicas with different templates keep both and claim only their own, until one of them is gone', async () => {
    const before = await replica([poolOf(2, 'before')]);
    const old = await filled(before, 2);
    const after = await replica([poolOf(2, 'after')]);
    await filled(after, 4);
    await Promise.all([turn(before), turn(after)]);
    expect(await readyNames()).toHaveLength(4);
    const claimed = await sandboxOf(await after.createSession(asked));
    expect(old).not.toContain(claimed);
    await forgetWishes('before');
    await turn(after);
    await eventually(async () => {
      expect((await rows()).map(({ template }) => template)).toEqual(['after', 'after']);
      expect(livingNames().filter((name) => old.includes(name))).toEqual([]);
    });
  });

  test('a pool that is no longer configured drains, and a smaller one shrinks', async () => {
    const large = await replica([poolOf(3)]);
    await filled(large, 3);
    const small = await replica([poolOf(1)]);
    await database.db.sql`update warm_wishes set seen_at = seen_at - interval '31 seconds' where size = 3`;
    await filled(small, 1);
    await eventually(() => expect(livingNames()).toHaveLength(1));
    const none = await replica([]);
    await forgetWishes('one');
    await turn(none);
    await eventually(() => expect(livingNames()).toEqual([]));
  });

  test('one that is about to end by itself is replaced first', async () => {
    const one = await replica([poolOf(1)], { HOLDFAST_WARM_SANDBOX_SECONDS: '1000' });
    const [old = ''] = await filled(one, 1);
    await database.db.sql`update warm_sandboxes set created_at = now() - interval '850 seconds'`;
    await filled(one, 2);
    await turn(one);
    await eventually(() => expect(livingNames()).toHaveLength(1));
    expect(livingNames()).not.toContain(old);
  });
});

describe('lost sandboxes', () => {
  const old = (name: string) => Object.assign(cluster.named(name).sandbox, { createdAt: new Date(0) });

  test('a resync takes a warm sandbox for no orphan, whether it is starting, ready or claimed', async () => {
    const one = await replica([poolOf(3)]);
    const [starting = '', , claimed = ''] = await filled(one, 3);
    await database.db.sql`update warm_sandboxes set ready_at = null, uid = null where name = ${starting}`;
    await database.db.sql`update warm_sandboxes set session_id = 'ses' where name = ${claimed}`;
    const all = livingNames();
    for (const name of all) old(name);
    await resync({ ...one.leave, log: one.log });
    expect(livingNames()).toEqual(all);
    expect(await rows()).toHaveLength(3);
  });

  test('a resync forgets one that is gone, and removes one that has ended', async () => {
    const one = await replica([poolOf(3)]);
    const [gone = '', ended = '', kept = ''] = await filled(one, 3);
    await cluster.vanish(gone);
    await cluster.crash(ended);
    await resync({ ...one.leave, log: one.log });
    expect((await rows()).map(({ name }) => name)).toEqual([kept]);
    expect(await cluster.runtime([]).list()).toMatchObject([{ name: kept }]);
  });

  test("the runtime's hint is enough", async () => {
    const one = await replica([poolOf(1)]);
    const [name = ''] = await filled(one, 1);
    await cluster.crash(name, { hinted: true });
    await eventually(async () => expect((await rows()).map((row) => row.name)).not.toContain(name));
    await eventually(async () => expect(await cluster.runtime([]).inspect(name)).toBeNull());
  });

  test('one that a session has claimed is left to that session', async () => {
    const one = await replica([poolOf(1)]);
    const [name = ''] = await filled(one, 1);
    await database.db.sql`update warm_sandboxes set session_id = 'ses'`;
    const { uid } = cluster.named(name).sandbox;
    await cluster.crash(name);
    await lookAtWarmSandbox({ ...one.leave, log: one.log }, { name, uid });
    expect(await rows()).toHaveLength(1);
  });
});
