import { encodeFrame } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createByteBudget } from '../../src/agent/byte-budget.ts';
import { recordAudit } from '../../src/registry/audit/record-audit.ts';
import { withdrawStep } from '../../src/registry/steps/withdraw-step.ts';
import { followSession } from '../../src/sharing/follow-session.ts';
import type { Happening } from '../../src/sharing/read-happenings.ts';
import { createSessionWatches } from '../../src/sharing/session-watches.ts';
import { createSharedSteps } from '../../src/sharing/shared-steps.ts';
import { openStepsMax } from '../../src/sharing/stream-position.ts';
import type { FollowDependencies } from '../../src/steps/follow-step.ts';
import { LiveStepLog } from '../../src/steps/live-step.ts';
import { startOf } from '../../src/steps/step-from-row.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const caller = { tenant: 'acme', scopes: new Set(['run'] as const), keyId: null };
const running = { status: 'running', finishedAt: null, startedAt: null } as const;
const started = () => encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 });

/** A replica that drives the steps in `liveSteps`. The agents of all others cannot be reached. */
function replica() {
  const { db } = database;
  const attached: string[] = [];
  const stream = async (_: unknown, { path }: { path: string }) => {
    attached.push(path);
    throw new Error('unreachable');
  };
  const liveSteps = new Map<string, LiveStepLog>();
  const deps = {
    db,
    liveSteps,
    agents: { stream },
    routes: { find: async () => ({ epoch: 1 }) },
    byteBudget: createByteBudget({ replicaBytesMax: 2 ** 20 }),
  } as unknown as FollowDependencies;
  return { db, liveSteps, attached, watches: createSessionWatches({ db }), sharedSteps: createSharedSteps(deps) };
}

type Follow = { after?: string; from?: 'start' | 'now' };

/** A reader, which notes what it gets as its edge does, until the test ends. */
async function reader(deps: ReturnType<typeof replica>, sessionId: string, { after, from = 'start' }: Follow = {}) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const { signal } = leave;
  const { position, happenings } = await followSession(deps, { caller, sessionId, after, from, signal });
  const got: string[] = [];
  const take = (happening: Exclude<Happening, 'quiet'>) => {
    if ('entry' in happening) {
      position.passEntry(happening.entry.number);
      got.push(happening.entry.operation);
      return;
    }
    const { step, frames, finished } = happening;
    for (const frame of frames) {
      const seq = frame.readUInt32BE(4);
      if (seq > step.seenSeq) got.push(`${step.number}:${seq}`);
      position.advance(step.number, seq);
    }
    if (!finished) return;
    got.push(`${step.number}:end`);
    position.end(step.number);
  };
  const over = (async () => {
    for await (const happening of happenings(50)) {
      if (happening === 'quiet') got.push('quiet');
      else take(happening);
    }
  })();
  over.catch(() => {});
  return { got, position, over, leave: () => leave.abort(), steps: () => got.filter((one) => one.includes(':')) };
}

const become = async (all: () => string[], expected: string[]) =>
  await eventually(() => expect(all()).toEqual(expected));

test('a late reader gets steps and entries in the order of their times', async () => {
  const { id: sessionId, tenant } = await activeSession(database.db);
  const step = { sessionId, events: started() };
  await storedStep(database.db, { ...step, number: 1, queuedAt: new Date(Date.now() + 1000) });
  await recordAudit(database.db, { sessionId, tenant, actor: 'host', operation: 'before', decision: 'allowed' });
  await storedStep(database.db, { ...step, number: 2, queuedAt: new Date(Date.now() + 2000) });
  await database.db.sql`update sessions set step_count = 2 where id = ${sessionId}`;
  const { got } = await reader(replica(), sessionId);
  await become(() => got.slice(-5), ['before', '1:1', '1:end', '2:1', '2:end']);
  await eventually(() => expect(got).toContain('quiet'));
});

test('a step that is withdrawn leaves no trace, and the reader goes on with the next one', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const replicaId = newId('rep');
  const { id } = await storedStep(database.db, { sessionId, number: 1, replicaId, ...running });
  await database.db.sql`update sessions set step_count = 1 where id = ${sessionId}`;
  const deps = replica();
  const { steps, position } = await reader(deps, sessionId);
  await eventually(() => expect(deps.attached.length).toBeGreaterThan(1));
  expect(position.open.size).toBe(1);
  expect(await withdrawStep(database.db, { id, replicaId, admissionId: null })).toBe(true);
  await eventually(() => expect(position.open.size).toBe(0));
  await storedStep(database.db, { sessionId, number: 2, events: started() });
  await database.db.sql`update sessions set step_count = 2 where id = ${sessionId}`;
  await become(steps, ['2:1', '2:end']);
});

test('a step whose follower fails is read on from wherever it ends', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const row = await storedStep(database.db, { sessionId, number: 1, replicaId: newId('rep'), ...running });
  await database.db.sql`update sessions set step_count = 1 where id = ${sessionId}`;
  const deps = replica();
  const live = new LiveStepLog(startOf(row));
  live.show();
  live.append([started()]);
  deps.liveSteps.set(row.id, live);
  const { steps } = await reader(deps, sessionId);
  await become(steps, ['1:1']);
  deps.liveSteps.delete(row.id);
  live.fail(new Error('it cannot be followed'));
  const events = Buffer.concat([started(), encodeFrame('stdout', 2, Buffer.from('a'))]);
  await database.db.sql`
    update steps set events = ${events}, status = 'succeeded', finished_at = now(), replica_id = null where id = ${row.id}`;
  await become(steps, ['1:1', '1:2', '1:end']);
});

test('from now on a reader gets the steps that have not ended, and what comes', async () => {
  const { id: sessionId } = await activeSession(database.db);
  await storedStep(database.db, { sessionId, number: 1, events: started() });
  const row = await storedStep(database.db, { sessionId, number: 2, replicaId: newId('rep'), ...running });
  await database.db.sql`update sessions set step_count = 2 where id = ${sessionId}`;
  const deps = replica();
  const live = new LiveStepLog(startOf(row));
  live.show();
  live.append([started()]);
  deps.liveSteps.set(row.id, live);
  const { got } = await reader(deps, sessionId, { from: 'now' });
  await storedStep(database.db, { sessionId, number: 3, events: started() });
  await database.db.sql`update sessions set step_count = 3 where id = ${sessionId}`;
  await become(() => got.filter((one) => one !== 'quiet'), ['2:1', '3:1', '3:end']);
});

test('a reader of very many unfinished steps gets some at a time, and goes on from its place', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const deps = replica();
  const count = openStepsMax + 10;
  const lives: LiveStepLog[] = [];
  for (let number = 1; number <= count; number++) {
    const row = await storedStep(database.db, { sessionId, number, replicaId: newId('rep'), ...running });
    const live = new LiveStepLog(startOf(row));
    live.show();
    live.append([started()]);
    deps.liveSteps.set(row.id, live);
    lives.push(live);
  }
  await database.db.sql`update sessions set step_count = ${count} where id = ${sessionId}`;
  const first = await reader(deps, sessionId);
  await eventually(() => expect(first.steps()).toHaveLength(openStepsMax));
  first.leave();
  await first.over;
  const second = await reader(deps, sessionId, { after: first.position.cursor });
  for (const live of lives.slice(0, 20)) live.finish({ number: 1 } as never);
  await eventually(() => expect(second.steps()).toHaveLength(20 + 10));
  expect(second.steps().filter((one) => one.endsWith(':end'))).toHaveLength(20);
  expect(second.steps().filter((one) => one.endsWith(':1'))).toEqual(
    Array.from({ length: 10 }, (_, n) => `${openStepsMax + 1 + n}:1`),
  );
});

test('the readers of one replica share the way to a step of another, until the last has left', async () => {
  const { id: sessionId } = await activeSession(database.db);
  await storedStep(database.db, { sessionId, number: 1, replicaId: newId('rep'), ...running });
  await database.db.sql`update sessions set step_count = 1 where id = ${sessionId}`;
  const deps = replica();
  let reading = 0;
  Object.assign(deps.sharedSteps, createSharedSteps(waitingAgent(deps, (change) => (reading += change))));
  const [one, other] = [await reader(deps, sessionId), await reader(deps, sessionId)];
  await eventually(() => expect([one, other].map(({ position }) => position.open.size)).toEqual([1, 1]));
  await eventually(() => expect(reading).toBe(1));
  one.leave();
  await one.over;
  expect(reading).toBe(1);
  other.leave();
  await other.over;
  await eventually(() => expect(reading).toBe(0));
});

/** The agent answers nothing until its reader leaves. */
function waitingAgent({ db, liveSteps }: ReturnType<typeof replica>, count: (change: number) => void) {
  const stream = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<void>((resolve) => {
      count(1);
      signal.addEventListener('abort', () => {
        count(-1);
        resolve();
      });
    });
  const byteBudget = createByteBudget({ replicaBytesMax: 2 ** 20 });
  const routes = { find: async () => ({ epoch: 1 }) };
  return { db, liveSteps, agents: { stream }, routes, byteBudget } as unknown as FollowDependencies;
}

test('a cursor beyond the steps of the session is refused', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const { position } = await reader(replica(), sessionId);
  position.pass(7);
  await expect(reader(replica(), sessionId, { after: position.cursor })).rejects.toMatchObject({
    slug: 'invalid-request',
  });
});
