import { expect, test } from 'vitest';
import { createSeal } from '../../src/keys/seal.ts';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import type { SessionRow } from '../../src/registry/schema/sessions.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { insertSession } from '../../src/registry/sessions/insert-session.ts';
import { SandboxError } from '../../src/runtimes/runtime.ts';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { type StartDependencies, startSandbox } from '../../src/sessions/start-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { creatingSession, sessionInput } from '../support/registry-rows.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { poolOf, warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();

/** The dependencies of a start at this replica. */
const startingAt = (replica: TestReplica, rest: Partial<StartDependencies> = {}): StartDependencies => ({
  ...replica,
  contents: replica.contents,
  log: replica.log,
  seal: createSeal({ current: new Uint8Array(32) }),
  startSeconds: 20,
  isDraining: () => false,
  hint: () => {},
  hasEnded: () => false,
  ...rest,
});

const start = (deps: StartDependencies, session: SessionRow) =>
  startSandbox(deps, { session, env: {}, files: [], claimed: null });

const abortedByHost = { epoch: 1, to: 'aborted', reason: 'aborted_by_host' } as const;

test('a session becomes active with the sandbox whose agent it was assigned to', async () => {
  const deps = startingAt(await given.replica([]));
  const session = await creatingSession(given.db);
  expect(await start(deps, session)).toMatchObject({ id: session.id, status: 'active' });
  const [{ sandbox, agent } = expect.fail('nothing was launched')] = given.cluster.launched;
  expect(await findRoute(given.db, { sessionId: session.id })).toMatchObject({ sandboxUid: sandbox.uid, epoch: 1 });
  expect([...agent.sessions]).toEqual([session.id]);
  expect(deps.starting.size).toBe(0);
});

test('a claimed sandbox is used without a launch', async () => {
  const one = await given.replica([poolOf(1)]);
  const [name] = await given.filled(one, 1);
  given.cluster.beforeLaunch = async () => expect.fail('a sandbox was launched');
  const warm = { profile: 'default', network: 'internet', template: 'one', ageSecondsMax: 1000 } as const;
  const inserted = (await insertSession(given.db, { ...sessionInput(), warm })) ?? expect.fail('quota');
  await startSandbox(startingAt(one), { ...inserted, env: {}, files: [] });
  expect(await findRoute(given.db, { sessionId: inserted.session.id })).toMatchObject({ sandboxName: name });
});

test('a second start of the session finds the same sandbox, and both return the active session', async () => {
  const [first, second] = [await given.replica([]), await given.replica([])];
  const session = await creatingSession(given.db);
  const both = await Promise.all([start(startingAt(first), session), start(startingAt(second), session)]);
  expect(both).toMatchObject([
    { id: session.id, status: 'active' },
    { id: session.id, status: 'active' },
  ]);
  expect(given.livingNames()).toHaveLength(1);
});

test('a session that ends during the launch gets no sandbox, and its environment reaches no agent', async () => {
  const deps = startingAt(await given.replica([]));
  const session = await creatingSession(given.db);
  given.cluster.beforeLaunch = async () => {
    await endSession(given.db, { id: session.id, ...abortedByHost });
  };
  await expect(start(deps, session)).rejects.toMatchObject({
    slug: 'session-ended',
    options: { endReason: 'aborted_by_host' },
  });
  expect(given.cluster.launched.map(({ agent }) => agent.sessions.size)).toEqual([0]);
  expect(given.livingNames()).toEqual([]);
});

test('a session that ends just before its bind gets no route, and its sandbox is destroyed', async () => {
  const deps = startingAt(await given.replica([]));
  const session = await creatingSession(given.db);
  given.cluster.answering = (request, response) => {
    if (request.url !== '/v1/session') return false;
    endSession(given.db, { id: session.id, ...abortedByHost }).then(() =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    );
    return true;
  };
  await expect(start(deps, session)).rejects.toMatchObject({ slug: 'session-ended' });
  expect(await findRoute(given.db, { sessionId: session.id })).toBeNull();
  expect(given.livingNames()).toEqual([]);
});

test('a launch that fails ends the session with its reason', async () => {
  const deps = startingAt(await given.replica([]));
  const session = await creatingSession(given.db);
  given.cluster.beforeLaunch = async () => {
    throw new SandboxError('image_pull_failed', 'the image does not exist', { retryAfterSeconds: 30 });
  };
  await expect(start(deps, session)).rejects.toMatchObject({
    slug: 'sandbox-unreachable',
    options: { endReason: 'image_pull_failed', retryAfterSeconds: 30 },
  });
  expect(await findSession(given.db, session)).toMatchObject({
    status: 'failed',
    endReason: 'image_pull_failed',
    endMessage: 'the image does not exist',
  });
});

test('an agent that does not answer in time ends the session, and its sandbox is removed', async () => {
  const deps = startingAt(await given.replica([]), { startSeconds: 0.5 });
  const session = await creatingSession(given.db);
  given.cluster.answering = ({ url }) => url === '/v1/session';
  await expect(start(deps, session)).rejects.toMatchObject({ options: { endReason: 'sandbox_start_timeout' } });
  expect(given.cluster.launched).toHaveLength(1);
  await eventually(() => expect(given.livingNames()).toEqual([]));
});

test('a start that is stopped aborts the session', async () => {
  const deps = startingAt(await given.replica([]));
  const session = await creatingSession(given.db);
  given.cluster.beforeLaunch = async () => {
    const underWay = await eventually(
      () => deps.starting.get(sandboxName(session.id, session.epoch)) ?? expect.fail('it has not begun'),
    );
    underWay.stop();
  };
  await expect(start(deps, session)).rejects.toMatchObject({ options: { endReason: 'data_plane_stopped' } });
  expect(await findSession(given.db, session)).toMatchObject({ status: 'aborted', endReason: 'data_plane_stopped' });
});

test('a sandbox that was reported as ended before its bind leaves a hint', async () => {
  const hinted: string[] = [];
  const rest = { hint: (id: string) => hinted.push(id), hasEnded: () => true };
  const session = await creatingSession(given.db);
  await start(startingAt(await given.replica([]), rest), session);
  expect(hinted).toEqual([session.id]);
});
