import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import type { SessionRow } from '../../src/registry/schema/sessions.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { insertSession } from '../../src/registry/sessions/insert-session.ts';
import { addWarmSandboxes } from '../../src/registry/warm-sandboxes/add-warm-sandboxes.ts';
import { claimWarmSandbox, type WarmSandboxCriteria } from '../../src/registry/warm-sandboxes/claim-warm-sandbox.ts';
import { findClaimedSandbox } from '../../src/registry/warm-sandboxes/find-claimed-sandbox.ts';
import { listUnusedClaims } from '../../src/registry/warm-sandboxes/list-unused-claims.ts';
import { listWarmSandboxes } from '../../src/registry/warm-sandboxes/list-warm-sandboxes.ts';
import { markWarmSandboxReady } from '../../src/registry/warm-sandboxes/mark-warm-sandbox-ready.ts';
import { requestWarmSandboxes } from '../../src/registry/warm-sandboxes/request-warm-sandboxes.ts';
import { retireWarmSandboxes } from '../../src/registry/warm-sandboxes/retire-warm-sandboxes.ts';
import { withdrawWarmSandbox } from '../../src/registry/warm-sandboxes/withdraw-warm-sandbox.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { creatingSession, routeOf, sessionInput } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 10 });
  db = database.db;
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, steps, warm_sandboxes, warm_wishes cascade`;
});
afterAll(() => database.drop());

type Pool = Omit<WarmSandboxCriteria, 'ageSecondsMax'>;
const pool: Pool = { profile: 'default', network: 'internet', template: 'now' };
const criteria: WarmSandboxCriteria = { ...pool, ageSecondsMax: 1000 };
const names = (count: number) => Array.from({ length: count }, () => newId('warm'));
const readyAs = (name: string) => ({
  name,
  uid: `uid-${name}`,
  node: 'n',
  endpoint: 'http://127.0.0.1:1',
  agentPublicKey: 'k',
});

async function starting(count: number, of: Partial<Pool> = {}): Promise<string[]> {
  return await addWarmSandboxes(db, { ...criteria, ...of, size: 1_000_000, names: names(count) });
}

async function ready(count: number, of: Partial<Pool> = {}): Promise<string[]> {
  const added = await starting(count, of);
  for (const name of added) await markWarmSandboxReady(db, readyAs(name));
  return added;
}

const age = (name: string, seconds: number) =>
  db.sql`update warm_sandboxes set created_at = created_at - ${seconds} * interval '1 second' where name = ${name}`;
const left = async () => (await listWarmSandboxes(db)).map(({ name }) => name).toSorted();

describe('a claim', () => {
  test('gives each of thirty sandboxes to one of a hundred sessions that claim at once', async () => {
    const other = await ready(5, { template: 'other' });
    const made = await ready(30);
    const claims = await Promise.all(
      Array.from({ length: 100 }, async () =>
        claimWarmSandbox(db, { sessionId: (await creatingSession(db)).id, epoch: 1, ...criteria }),
      ),
    );
    const claimed = claims.flatMap((claim) => claim?.name ?? []);
    expect(claimed.toSorted()).toEqual(made.toSorted());
    expect(claimed).not.toEqual(expect.arrayContaining(other));
  });

  test('takes the oldest ready sandbox, with all that a route needs', async () => {
    const [first = '', second = ''] = await ready(2);
    await age(second, 10);
    const { id: sessionId } = await creatingSession(db);
    expect(await claimWarmSandbox(db, { sessionId, epoch: 1, ...criteria })).toEqual(readyAs(second));
    expect(await findClaimedSandbox(db, { sessionId, epoch: 1 })).toEqual(readyAs(second));
    expect(first).not.toBe(second);
  });

  test('never takes a sandbox that is starting, too old, claimed, or of another template, profile or network', async () => {
    await starting(1);
    await ready(1, { template: 'other' });
    await ready(1, { profile: 'other' });
    await ready(1, { network: 'none' });
    const [old = ''] = await ready(1);
    await age(old, 1001);
    await ready(1);
    const [one, other] = [await creatingSession(db), await creatingSession(db)];
    expect(await claimWarmSandbox(db, { sessionId: one.id, epoch: 1, ...criteria })).not.toBeNull();
    expect(await claimWarmSandbox(db, { sessionId: other.id, epoch: 1, ...criteria })).toBeNull();
  });

  test('gives nothing to an ended session, nor to a session that is over the quota', async () => {
    await ready(2);
    const { id } = await creatingSession(db);
    await endSession(db, { id, epoch: 'any', to: 'aborted', reason: 'aborted_by_host' });
    expect(await claimWarmSandbox(db, { sessionId: id, epoch: 1, ...criteria })).toBeNull();
    expect(await insertSession(db, { ...sessionInput(), sessionsMax: 0, warm: criteria })).toBeNull();
    const made = await insertSession(db, { ...sessionInput(), warm: criteria });
    expect(await findClaimedSandbox(db, { sessionId: made?.session.id ?? '', epoch: 1 })).toEqual(made?.claimed);
    expect(made?.claimed).not.toBeNull();
  });

  test('is on disk with its session once the session is bound', async () => {
    await ready(1);
    const made = await insertSession(db, { ...sessionInput(), warm: criteria });
    const [end] = await db.sql<{ lsn: string }[]>`select pg_current_wal_insert_lsn()::text as lsn`;
    const route = { ...routeOf(made?.session as SessionRow), sandboxName: made?.claimed?.name ?? '' };
    expect(await bindRoute(db, route)).toMatchObject({ status: 'active' });
    const [flushed] = await db.sql`select pg_current_wal_flush_lsn() >= ${end?.lsn ?? ''}::pg_lsn as "hasAll"`;
    expect(flushed).toEqual({ hasAll: true });
  });

  test('skips a row that another transaction has locked', async () => {
    const [locked = '', free] = await ready(2);
    await age(locked, 10);
    const { id: sessionId } = await creatingSession(db);
    await db.transaction(async ({ sql }) => {
      await sql`set local idle_in_transaction_session_timeout = '3s'`;
      await sql`select from warm_sandboxes where name = ${locked} for update`;
      expect((await claimWarmSandbox(db, { sessionId, epoch: 1, ...criteria }))?.name).toBe(free);
    });
  });

  test('ends with the bind of its own session', async () => {
    await ready(1);
    const made = await insertSession(db, { ...sessionInput(), warm: criteria });
    const other = await creatingSession(db);
    const sandboxName = made?.claimed?.name ?? '';
    await bindRoute(db, { ...routeOf(other), sandboxName });
    expect(await left()).toEqual([sandboxName]);
    await bindRoute(db, { ...routeOf({ id: made?.session.id ?? '', epoch: 2 }), sandboxName });
    expect(await left()).toEqual([sandboxName]);
    expect(await bindRoute(db, { ...routeOf({ id: made?.session.id ?? '', epoch: 1 }), sandboxName })).not.toBeNull();
    expect(await left()).toEqual([]);
  });

  test('counts as unused if its session ended before the bind, but not while its session waits', async () => {
    await ready(2);
    const [ended, waiting] = [
      await insertSession(db, { ...sessionInput(), warm: criteria }),
      await insertSession(db, { ...sessionInput(), warm: criteria }),
    ];
    await endSession(db, { id: ended?.session.id ?? '', epoch: 'any', to: 'aborted', reason: 'aborted_by_host' });
    expect(await listUnusedClaims(db)).toEqual([ended?.claimed?.name]);
    expect(await withdrawWarmSandbox(db, { name: waiting?.claimed?.name ?? '' })).toBe(false);
  });
});

describe('adding', () => {
  test('adds exactly the missing sandboxes, even if twenty replicas do so at once', async () => {
    await ready(3);
    const added = await Promise.all(
      Array.from({ length: 20 }, () => addWarmSandboxes(db, { ...criteria, size: 13, names: names(8) })),
    );
    expect(added.flat()).toHaveLength(10);
    expect(await left()).toHaveLength(13);
  });

  test('counts starting and ready sandboxes, but no claimed, old or different ones', async () => {
    await starting(1);
    await ready(1);
    await ready(1, { template: 'other' });
    const [old = '', claimed = ''] = await ready(2);
    await age(old, 1001);
    await db.sql`update warm_sandboxes set session_id = 'ses' where name = ${claimed}`;
    expect(await addWarmSandboxes(db, { ...criteria, size: 5, names: names(8) })).toHaveLength(3);
    expect(await addWarmSandboxes(db, { ...criteria, size: 4, names: names(8) })).toHaveLength(0);
  });

  test('does not make a sandbox ready that was withdrawn while it started', async () => {
    const [name = ''] = await starting(1);
    expect(await withdrawWarmSandbox(db, { name })).toBe(true);
    expect(await markWarmSandboxReady(db, readyAs(name))).toBe(false);
  });
});

describe('retiring', () => {
  const limits = { requestSeconds: 30, ageSecondsMax: 1000, startSecondsMax: 60 };
  const retire = async () => (await retireWarmSandboxes(db, limits)).toSorted();
  const expireRequests = (template: string) =>
    db.sql`update warm_wishes set seen_at = seen_at - interval '31 seconds' where template = ${template}`;

  test('retires the sandboxes of a template that no replica has requested for half a minute', async () => {
    const old = await ready(2, { template: 'old' });
    const spared = await ready(2);
    await requestWarmSandboxes(db, { ...pool, template: 'old', size: 2 });
    await requestWarmSandboxes(db, { ...pool, size: 2 });
    expect(await retire()).toEqual([]);
    await expireRequests('old');
    expect(await retire()).toEqual(old.toSorted());
    expect(await left()).toEqual(spared.toSorted());
  });

  test('retires the oldest beyond the largest size that any replica requests', async () => {
    const made = await ready(4);
    for (const [index, name] of made.entries()) await age(name, index);
    await requestWarmSandboxes(db, { ...pool, size: 1 });
    await requestWarmSandboxes(db, { ...pool, size: 3 });
    expect(await retire()).toEqual([made[3]]);
    await db.sql`update warm_wishes set seen_at = seen_at - interval '31 seconds' where size = 3`;
    expect(await retire()).toEqual([made[1], made[2]].toSorted());
  });

  test('retires an old sandbox only once its replacement is ready', async () => {
    const [old = ''] = await ready(1);
    await age(old, 900);
    await requestWarmSandboxes(db, { ...pool, size: 1 });
    const [next = ''] = await addWarmSandboxes(db, { ...pool, ageSecondsMax: 800, size: 1, names: names(1) });
    expect(await retire()).toEqual([]);
    await markWarmSandboxReady(db, readyAs(next));
    expect(await retire()).toEqual([old]);
  });

  test('retires a sandbox that is too old or starts for too long, but no claimed one', async () => {
    await requestWarmSandboxes(db, { ...pool, size: 10 });
    const [old = '', claimed = '', spared = ''] = await ready(3);
    const [stuck = '', young = ''] = await starting(2);
    for (const name of [old, claimed]) await age(name, 1001);
    await age(stuck, 61);
    await db.sql`update warm_sandboxes set session_id = 'ses' where name = ${claimed}`;
    expect(await retire()).toEqual([old, stuck].toSorted());
    expect(await left()).toEqual([claimed, spared, young].toSorted());
  });

  test('never takes a sandbox that is claimed at the same time', async () => {
    const made = await ready(40);
    const [retired, claims] = await Promise.all([
      retire(),
      Promise.all(
        Array.from(
          { length: 40 },
          async () => (await insertSession(db, { ...sessionInput(), warm: criteria }))?.claimed,
        ),
      ),
    ]);
    const claimed = claims.flatMap((claim) => claim?.name ?? []);
    expect([...retired, ...claimed].toSorted()).toEqual(made.toSorted());
  });
});
