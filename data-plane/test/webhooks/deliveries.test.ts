import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createSeal } from '../../src/keys/seal.ts';
import { createDeliveries } from '../../src/webhooks/deliver-webhooks.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { secret, startReceiver } from './start-receiver.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.db.sql`delete from webhook_deliveries`);

const sealWith = (byte: number) => createSeal({ current: Buffer.alloc(32, byte) });
const seal = sealWith(1);

const replica = (change: Partial<Parameters<typeof createDeliveries>[0]> = {}) => {
  const results: string[] = [];
  const logged: unknown[] = [];
  const deliveries = createDeliveries({
    db: database.db,
    seal,
    log: { error: (...entry: unknown[]) => void logged.push(entry[1]) },
    webhooks: { allowsPrivate: true, timeoutMs: 2000 },
    isDraining: () => false,
    onAttempt: (result) => void results.push(result),
    ...change,
  });
  const deliver = async () => {
    await deliveries.deliverDue();
    await deliveries.settled();
  };
  return { deliver, results, logged };
};

const queue = async (url: string, attempts = 0) => {
  const [sessionId, subjectId] = [newId('ses'), newId('stp')];
  const content = { sessionId, id: subjectId, status: 'succeeded' };
  await database.db.sql`
    insert into webhook_deliveries (webhook_id, event, subject_id, session_id, tenant, url, secret, content, attempts)
    values (${newId('whk')}, 'step.ended', ${subjectId}, ${sessionId}, 'acme', ${url}, ${await seal.close(secret)},
      ${JSON.stringify(content)}::text::jsonb, ${attempts})`;
};

const rows = async () => [...(await database.db.sql`select status, attempts, fault from webhook_deliveries`)];

test('a secret that the keys do not open is said to the owner and to the operator, and the delivery is made once they do', async () => {
  await using receiver = await startReceiver();
  await queue(receiver.url);
  const changed = replica({ seal: sealWith(2) });
  await changed.deliver();
  expect(await rows()).toEqual([
    { status: 'pending', attempts: 1, fault: expect.stringMatching(/^the secret .* again$/) },
  ]);
  expect(changed.logged).toEqual(['the secret of a webhook does not open with the keys of this deployment']);
  expect(receiver.attempts).toEqual([]);
  await database.db.sql`update webhook_deliveries set next_attempt_at = now()`;
  const restored = replica();
  await restored.deliver();
  expect(await rows()).toEqual([{ status: 'delivered', attempts: 2, fault: null }]);
  expect([changed.results, restored.results]).toEqual([['failed'], ['delivered']]);
});

test('the last attempt that fails gives the delivery up', async () => {
  await using receiver = await startReceiver((_, response) => response.writeHead(410).end());
  await queue(receiver.url, 17);
  const { deliver, results } = replica();
  await deliver();
  expect(await rows()).toEqual([{ status: 'failed', attempts: 18, fault: 'the receiver answered 410' }]);
  expect(results).toEqual(['given_up']);
});

test('an end that was delivered while the database was away is delivered again under the same id', async () => {
  await using receiver = await startReceiver();
  await queue(receiver.url);
  const { owner } = database;
  await owner.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'away'; end $$;
    create trigger away before update on webhook_deliveries for each row when (new.status = 'delivered') execute function refuse()`);
  const { deliver, logged, results } = replica();
  await deliver();
  expect(logged).toEqual(['the delivery to a webhook could not be recorded']);
  expect(await rows()).toEqual([{ status: 'pending', attempts: 1, fault: null }]);
  await owner.sql.unsafe('drop trigger away on webhook_deliveries');
  await deliver();
  expect(receiver.attempts).toHaveLength(1);
  await database.db.sql`update webhook_deliveries set next_attempt_at = now(), leased_until = now()`;
  await deliver();
  expect(await rows()).toEqual([{ status: 'delivered', attempts: 2, fault: null }]);
  expect(receiver.attempts.map(({ id }) => id)).toEqual(Array(2).fill(receiver.attempts[0]?.id));
  expect(results).toEqual(['delivered']);
});

test('a clock of a replica that is wrong changes no signature', async () => {
  await using receiver = await startReceiver();
  await queue(receiver.url);
  vi.setSystemTime(Date.now() + 3_600_000);
  onTestFinished(() => void vi.useRealTimers());
  await replica().deliver();
  vi.useRealTimers();
  expect(await rows()).toMatchObject([{ status: 'delivered' }]);
});
