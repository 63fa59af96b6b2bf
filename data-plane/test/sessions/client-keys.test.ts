import { expect, test } from 'vitest';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

test('many requests with one client key on two replicas make one session, and all get it ready', async () => {
  const replicas = [await given.replica([]), await given.replica([])] as const;
  const asked = { clientKey: 'notebook', metadata: { first: 'yes' } };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => replicas[index % 2 === 0 ? 0 : 1].createSession(asked)),
  );
  const made = answers.filter((session) => !('existed' in session));
  expect(made).toHaveLength(1);
  expect(new Set(answers.map(({ id, status }) => `${id} ${status}`))).toEqual(new Set([`${made[0]?.id} active`]));
  expect(given.livingNames()).toHaveLength(1);
});

test('a repeat by Idempotency-Key gets the first answer, whether the session was made or found', async () => {
  const replica = await given.replica([]);
  const asked = { clientKey: 'repeated' };
  const made = await replica.createSession(asked, { idempotencyKey: 'a' });
  const found = await replica.createSession(asked, { idempotencyKey: 'b' });
  expect(found).toEqual({ ...made, existed: true });
  expect(await replica.createSession(asked, { idempotencyKey: 'a' })).toEqual(made);
  expect(await replica.createSession(asked, { idempotencyKey: 'b' })).toEqual(found);
});

test('a client key is free again when its session has ended, and each tenant has its own', async () => {
  const replica = await given.replica([]);
  const asked = { clientKey: 'ended' };
  const first = await replica.createSession(asked);
  const elsewhere = await replica.createSession(asked, { tenant: 'other' });
  expect(elsewhere.id).not.toBe(first.id);
  await replica.verbs.endSession({ caller: replica.caller, id: first.id, to: 'completed' });
  const next = await replica.createSession(asked);
  expect(next).toMatchObject({ clientKey: 'ended', status: 'active' });
  expect(next).not.toHaveProperty('existed');
  const { items } = await replica.verbs.listSessions({ caller: replica.caller, clientKey: 'ended', limit: 10 });
  expect(items.map(({ id }) => id)).toEqual([next.id, first.id]);
});
