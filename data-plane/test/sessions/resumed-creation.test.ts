import { expect, test } from 'vitest';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

test('a creation that another replica resumes ends in one active session, also when the first one comes back later', async () => {
  const [first, second] = [await given.replica([]), await given.replica([])];
  const held = Promise.withResolvers<void>();
  const launching = Promise.withResolvers<void>();
  given.cluster.beforeLaunch = async () => {
    given.cluster.beforeLaunch = async () => {};
    launching.resolve();
    await held.promise;
  };
  const key = { idempotencyKey: 'one session' };
  const begun = first.createSession({}, key);
  await launching.promise;
  // The first replica was silent for so long that it counts as gone.
  await given.db.sql`delete from replicas where id = (select replica_id from idempotency_keys)`;
  const resumed = await second.createSession({}, key);
  expect(resumed.status).toBe('active');
  held.resolve();
  expect(await begun).toMatchObject({ id: resumed.id, status: 'active' });
  const found = await second.verbs.getSession({ caller: second.caller, id: resumed.id });
  expect(found).toMatchObject({ status: 'active', endReason: null });
  expect(given.livingNames()).toEqual([await given.sandboxOf(resumed)]);
});
