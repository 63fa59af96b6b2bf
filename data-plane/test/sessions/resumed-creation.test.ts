import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { asked, poolOf, warmReplicas } from '../support/warm-replicas.ts';

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

/** Holds every request that assigns the session to a sandbox. The test answers them. */
function heldAssignments() {
  const held: ((status: number) => void)[] = [];
  given.cluster.answering = (request, response) => {
    if (request.url !== '/v1/session' || request.method !== 'PUT') return false;
    held.push((status) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'));
    return true;
  };
  const nth = (index: number) => eventually(() => held[index] ?? expect.fail('the agent was not asked'));
  return { nth };
}

/** The first replica was silent for so long that it counts as gone. */
const forgetFirst = async () => {
  await given.db.sql`delete from replicas where id = (select replica_id from idempotency_keys)`;
};

test('a start that fails on a replica that slept ends neither the session nor the sandbox of the replica that has resumed it', async () => {
  const [first, second] = [await given.replica([]), await given.replica([])];
  const assignments = heldAssignments();
  const key = { idempotencyKey: 'one session' };
  const begun = first.createSession({}, key);
  const failFirst = await assignments.nth(0);
  await forgetFirst();
  const resumed = second.createSession({}, key);
  const answerSecond = await assignments.nth(1);
  failFirst(500);
  await expect(begun).rejects.toMatchObject({ slug: 'session-starting' });
  expect(given.livingNames()).toHaveLength(1);
  answerSecond(200);
  const session = await resumed;
  expect(session.status).toBe('active');
  expect(given.livingNames()).toEqual([await given.sandboxOf(session)]);
});

test('a replica that slept leaves the warm sandbox alone to which another one has assigned its session', async () => {
  const [first, second] = [await given.replica([poolOf(1)]), await given.replica([poolOf(1)])];
  const [name] = await given.filled(first, 1);
  const assignments = heldAssignments();
  const key = { idempotencyKey: 'one session' };
  const begun = first.createSession(asked, key);
  const failFirst = await assignments.nth(0);
  await forgetFirst();
  const resumed = second.createSession(asked, key);
  (await assignments.nth(1))(200);
  const session = await resumed;
  failFirst(500);
  expect(await begun).toMatchObject({ id: session.id, status: 'active' });
  await first.backgroundSettled();
  expect(await given.sandboxOf(session)).toBe(name);
  expect(given.livingNames()).toContain(name);
});
