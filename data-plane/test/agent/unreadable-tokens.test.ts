import type { Session } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { createSeal } from '../../src/keys/seal.ts';
import { renewLeases } from '../../src/reconcile/duties/renew-leases.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();
const otherSeal = createSeal({ current: new Uint8Array(32).fill(1) });

const sessionsOf = (replica: TestReplica, count: number) =>
  Promise.all(Array.from({ length: count }, () => replica.createSession()));

/** As if the token had been sealed before `HOLDFAST_ENCRYPTION_KEY` was changed. */
async function sealOtherwise({ id }: Session): Promise<void> {
  const token = await otherSeal.close('token');
  await given.db.sql`update session_routes set token = ${token} where session_id = ${id}`;
}

async function renewed(run: () => Promise<void>): Promise<number> {
  await given.db.sql`update session_routes set last_seen_at = now() - interval '1 hour'`;
  await run();
  const rows = await given.db.sql`select from session_routes where last_seen_at > now() - interval '1 minute'`;
  return rows.length;
}

test('after a change of the encryption key all leases are renewed, and it is logged once', async () => {
  const one = await given.replica([]);
  const sessions = await sessionsOf(one, 40);
  await Promise.all(sessions.slice(20).map(sealOtherwise));
  expect(await renewed(() => renewLeases(one.duties))).toBe(40);
  expect(one.lines.filter((line) => line.includes('HOLDFAST_ENCRYPTION_KEY'))).toHaveLength(1);
});

test('a session whose token cannot be opened is fenced and removed as any other', async () => {
  const one = await given.replica([]);
  const [deleted, completed] = (await sessionsOf(one, 2)) as [Session, Session];
  await Promise.all([deleted, completed].map(sealOtherwise));
  expect(await one.verbs.deleteSession({ caller: one.caller, id: deleted.id })).toBe('gone');
  expect(await one.verbs.endSession({ caller: one.caller, id: completed.id, to: 'completed' })).toMatchObject({
    status: 'completed',
  });
  await eventually(() => expect(given.livingNames()).toEqual([]));
});

test('a token that cannot be opened is replaced for all replicas once it has expired', async () => {
  const one = await given.replica([]);
  const session = await one.createSession();
  await sealOtherwise(session);
  await given.db
    .sql`update session_routes set token_expires_at = date_trunc('milliseconds', now()) - interval '1 second'`;
  await renewLeases(one.duties);
  await eventually(async () => {
    const [row] = await given.db.sql<{ token: string }[]>`select token from session_routes`;
    await createSeal({ current: new Uint8Array(32) }).open(row?.token ?? '');
  });
});

test('leases that cannot be renewed for a fault of ours keep no other from being renewed, and no session is blamed', async () => {
  const one = await given.replica([]);
  const bad = new Set((await sessionsOf(one, 40)).slice(20).map(({ id }) => id));
  const hinted: string[] = [];
  const deps = {
    ...one.duties,
    hint: (id: string) => hinted.push(id),
    routes: {
      async find(id: string) {
        if (bad.has(id)) throw new Error('no such luck');
        return await one.duties.routes.find(id);
      },
    },
  };
  expect(await renewed(() => renewLeases(deps))).toBe(20);
  expect(hinted).toEqual([]);
  expect(one.lines.filter((line) => line.includes('leases could not be renewed'))).toHaveLength(1);
});
