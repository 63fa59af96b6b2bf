import { encodeFrame } from '@holdfast/specs/agent';
import { runStepSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { startSandbox } from '../../src/sessions/start-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import type { TestReplica } from '../support/start-replica.ts';
import { warmReplicas } from '../support/warm-replicas.ts';

const given = warmReplicas();
const lockId = 77;

/** Agents that report this contextEpoch for every step. Collects what they are told about their session. */
function reporting(contextEpoch: number): unknown[] {
  const binds: unknown[] = [];
  given.cluster.answering = (request, response) => {
    if (request.method === 'POST' && request.url === '/v1/steps') {
      const ran = { contextEpoch, executionCount: 1 };
      const done = { ...ran, status: 'succeeded', durationMs: 1, stateSurvived: true, cause: null };
      response.writeHead(200).end(Buffer.concat([encodeFrame('started', 1, ran), encodeFrame('done', 2, done)]));
      return true;
    }
    if (request.url !== '/v1/session' || request.method !== 'PUT') return false;
    request.toArray().then((chunks) => {
      binds.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    return true;
  };
  return binds;
}

const run = (replica: TestReplica, sessionId: string) =>
  replica.verbs.runStep({ caller: replica.caller, sessionId, request: runStepSchema.parse({ code: '1' }) });

test('a new contextEpoch is reserved before a client sees it, and the next sandbox of the session counts on from it', async () => {
  const replica = await given.replica([]);
  const binds = reporting(3);
  const session = await replica.createSession();
  // The statement that reserves waits for this lock.
  await given.owner.sql.unsafe(`
    create function wait_for_lock() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(${lockId}); return new; end';
    create trigger wait before update of context_epoch_max on sessions for each row
      when (old.context_epoch_max <> new.context_epoch_max) execute function wait_for_lock()`);
  const held = given.db.connectAlone();
  await held`select pg_advisory_lock(${lockId})`;
  const running = run(replica, session.id);
  await eventually(async () => {
    const [waiting] = await given.db.sql`
      select from pg_locks where locktype = 'advisory' and objid = ${lockId} and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    expect(waiting).toBeDefined();
  });
  expect([...replica.liveSteps.values()].map(({ received }) => received.length)).toEqual([0]);
  await held`select pg_advisory_unlock(${lockId})`;
  await held.end();
  const live = await running;
  await eventually(() => expect(live.finished).toMatchObject({ status: 'succeeded', contextEpoch: 3 }));
  expect(await findSession(given.db, session)).toMatchObject({ contextEpochMax: 3 });

  await given.db.sql`update sessions set status = 'creating', epoch = 2 where id = ${session.id}`;
  const again = (await findSession(given.db, session)) ?? expect.fail('the session is gone');
  await startSandbox(starting(replica), { session: again, env: {}, files: [], claimed: null });
  expect(binds).toEqual([
    expect.not.objectContaining({ firstContextEpoch: 1 }),
    expect.objectContaining({ firstContextEpoch: 4 }),
  ]);
  expect(await findRoute(given.db, { sessionId: session.id })).toMatchObject({ epoch: 2, contextEpochMax: 4 });
});

test('an agent that reports a contextEpoch of an earlier sandbox is condemned', async () => {
  const replica = await given.replica([]);
  reporting(3);
  const session = await replica.createSession();
  await given.db
    .sql`update sessions set status = 'creating', epoch = 2, context_epoch_max = 3 where id = ${session.id}`;
  const again = (await findSession(given.db, session)) ?? expect.fail('the session is gone');
  await startSandbox(starting(replica), { session: again, env: {}, files: [], claimed: null });
  const live = await run(replica, session.id).catch(() => null);
  await eventually(async () => expect(await findSession(given.db, session)).toMatchObject({ status: 'failed' }));
  expect(live?.frames ?? []).toEqual([]);
});

test('the code and symbols of a session are shown after the contextEpochs of its contexts are reserved', async () => {
  const replica = await given.replica([]);
  const session = await replica.createSession();
  const answers: Record<string, object> = {
    '/v1/contexts': {
      contexts: [
        { contextId: 'python', language: 'python', contextEpoch: 3, state: 'idle', cwd: '' },
        { contextId: 'node', language: 'node', contextEpoch: 1, state: 'idle', cwd: '' },
      ],
    },
    '/v1/contexts/python/symbols': { contextEpoch: 3, stale: false, symbols: [] },
    '/v1/contexts/node/symbols': { contextEpoch: 1, stale: false, symbols: [] },
  };
  given.cluster.answering = ({ url = '' }, response) => {
    const answer = answers[url];
    if (!answer) return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    return true;
  };
  await replica.verbs.getSessionContext({ caller: replica.caller, sessionId: session.id });
  expect(await findSession(given.db, session)).toMatchObject({ contextEpochMax: 3 });
});

test('an agent that counts faster than kernels can start is condemned', async () => {
  const replica = await given.replica([]);
  reporting(2_000_000_000);
  const { id } = await replica.createSession();
  const live = await run(replica, id).catch(() => null);
  await eventually(async () => expect(await findSession(given.db, { id })).toMatchObject({ status: 'failed' }));
  expect(live?.frames ?? []).toEqual([]);
  expect(await findSession(given.db, { id })).toMatchObject({ contextEpochMax: 1 });
});

const starting = (replica: TestReplica) => ({
  ...replica,
  startSeconds: 20,
  hint: () => {},
  hasEnded: () => false,
});
