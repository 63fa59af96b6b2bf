import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { markDueDeliveries } from '../../src/registry/webhooks/mark-due-deliveries.ts';
import { settleDelivery } from '../../src/registry/webhooks/settle-delivery.ts';
import { takeDueDeliveries } from '../../src/registry/webhooks/take-due-deliveries.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
});
afterAll(() => database.drop());
beforeEach(() => db.sql`delete from webhook_deliveries`);

/** The columns round to milliseconds, and so perhaps to one that has not come. */
const past = () => db.sql`now() - interval '1 second'`;

const queue = (webhookId: string, { tenant = 'acme', count = 1 } = {}) => db.sql`
  insert into webhook_deliveries (webhook_id, event, subject_id, session_id, tenant, url, secret, content, next_attempt_at)
  select ${webhookId}, 'step.ended', ${webhookId} || '-' || n, 'ses_1', ${tenant}, '', '', '{}', ${past()}
  from generate_series(1, ${count}::int) n`;

const take = (wish: Partial<Parameters<typeof takeDueDeliveries>[1]> = {}, on = db) =>
  takeDueDeliveries(on, { limit: 64, perWebhookMax: 4, perTenantMax: 16, leaseSeconds: 30, ...wish });

const mark = () => markDueDeliveries(db, { attemptsMax: 3 });

const webhooksOf = (rows: { webhookId: string }[]) => rows.map(({ webhookId }) => webhookId).toSorted();

test('many replicas at once take each delivery once', async () => {
  for (let n = 0; n < 10; n++) await queue(`whk_${n}`, { tenant: `tenant-${n}`, count: 4 });
  const taken = (await Promise.all(Array.from({ length: 8 }, () => take()))).flat();
  expect(taken).toHaveLength(40);
  expect(new Set(taken.map(({ subjectId }) => subjectId)).size).toBe(40);
});

test('a webhook and a tenant have no more attempts under way than they may have', async () => {
  for (let n = 0; n < 6; n++) await queue(`whk_${n}`, { count: 10 });
  await queue('whk_other', { tenant: 'other', count: 10 });
  const first = await take();
  expect(first.filter(({ tenant }) => tenant === 'acme')).toHaveLength(16);
  expect(first.filter(({ webhookId }) => webhookId === 'whk_other')).toHaveLength(4);
  expect(await take()).toEqual([]);
});

test('a place that becomes free is for the webhook that has the fewest', async () => {
  for (const name of ['whk_a', 'whk_b', 'whk_c', 'whk_d']) await queue(name, { count: 10 });
  const hanging = await take();
  expect(hanging).toHaveLength(16);
  await queue('whk_z', { count: 10 });
  const [settled] = hanging;
  if (settled) await settleDelivery(db, settled, { isDelivered: true, responseStatus: 200 });
  expect(webhooksOf(await take())).toEqual(['whk_z']);
});

test('a delivery that has failed is due when its time has come, and not before', async () => {
  await queue('whk_a');
  const [taken] = await take();
  if (!taken) throw new Error('nothing was due');
  await settleDelivery(db, taken, { isDelivered: false, responseStatus: 500, fault: 'no', retryMs: 60_000 });
  await mark();
  expect(await take()).toEqual([]);
  await db.sql`update webhook_deliveries set next_attempt_at = ${past()}`;
  expect(await take()).toEqual([]);
  await mark();
  expect(await take()).toMatchObject([{ webhookId: 'whk_a', attempts: 2 }]);
});

test('a replica that slept does not settle an attempt that another one has begun anew after the lease', async () => {
  await queue('whk_a');
  const [slept] = await take();
  if (!slept) throw new Error('nothing was due');
  await mark();
  expect(await take()).toEqual([]);
  await db.sql`update webhook_deliveries set next_attempt_at = ${past()}, leased_until = ${past()}`;
  await mark();
  const [again] = await take();
  expect(again).toMatchObject({ subjectId: slept.subjectId, attempts: 2 });
  await settleDelivery(db, slept, { isDelivered: false, responseStatus: null, fault: 'late', retryMs: null });
  expect([...(await db.sql`select status, fault from webhook_deliveries`)]).toEqual([
    { status: 'pending', fault: null },
  ]);
});

test('a delivery fails if no replica settles any of its attempts', async () => {
  await queue('whk_a');
  const endLease = () => db.sql`update webhook_deliveries set next_attempt_at = ${past()}, leased_until = ${past()}`;
  for (const attempts of [1, 2, 3]) {
    expect(await take()).toMatchObject([{ attempts }]);
    expect(await mark()).toBe(0);
    await endLease();
    expect(await mark()).toBe(attempts === 3 ? 1 : 0);
  }
  expect(await take()).toEqual([]);
  expect([...(await db.sql`select status, fault, is_due as "isDue" from webhook_deliveries`)]).toEqual([
    { status: 'failed', fault: 'the end of the last attempt is not known', isDue: false },
  ]);
});

test('a take reads no delivery that waits, and none of a tenant whose places are taken', async () => {
  for (let n = 0; n < 20; n++) await queue(`whk_full_${n}`, { tenant: 'full', count: 100 });
  expect(await take()).toHaveLength(16);
  for (let n = 0; n < 20; n++) await queue(`whk_wait_${n}`, { tenant: 'waiting', count: 100 });
  await db.sql`
    update webhook_deliveries set is_due = false, next_attempt_at = now() + interval '1 hour' where tenant = 'waiting'`;
  await database.owner.sql.unsafe('vacuum analyze webhook_deliveries');
  await queue('whk_new');
  const single = connectDatabase({ ...database.address, poolMax: 1 });
  onTestFinished(() => single.close());
  const before = await entriesRead(single);
  expect(webhooksOf(await take({}, single))).toEqual(['whk_new']);
  expect((await entriesRead(single)) - before).toBeLessThan(100);
});

/** The entries of the table's indexes that the only connection of a pool, and others long ago, have read. */
async function entriesRead({ sql }: Database): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [total] = await sql`
    select sum(idx_tup_read) as read from pg_stat_user_indexes where relname = 'webhook_deliveries'`;
  return Number(total?.read);
}
