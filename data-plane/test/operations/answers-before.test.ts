import { operationIdFor } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createStepOperations } from '../../src/policy/operations/create-step-operations.ts';
import { createCallLog } from '../../src/policy/operations/own/create-call-log.ts';
import { listAnswers } from '../../src/registry/operations/list-answers.ts';
import { recordCalls } from '../../src/registry/operations/record-calls.ts';
import type { Queries } from '../../src/registry/queries.ts';
import type { CallingStep } from '../../src/steps/drive-step.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, routeOf, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const violation = { error: { name: 'PolicyViolation', message: 'the policy forbids it', rule: 'world.readOnly' } };

/** Hands a step over whose call has this answer already, and returns what its agent gets. `failing`: the first statements that have no connection. */
async function handOver(answer: object, { failing = 0 } = {}) {
  const { db } = database;
  const session = await activeSession(db);
  const { id: stepId } = await storedStep(db, { sessionId: session.id, number: 1 });
  const kept = { sessionId: session.id, stepId, call: 1, name: 'memo.put', digest: Buffer.alloc(32) };
  await recordCalls(db, { entries: [], answers: [{ ...kept, answer: JSON.stringify(answer) }] });
  const work: Promise<unknown>[] = [];
  const delivered: unknown[] = [];
  const run = vi.fn(async () => 'again');
  const onDenied = vi.fn();
  let left = failing;
  const sql = new Proxy(db.sql, {
    apply: (target, self, args) =>
      left-- > 0
        ? Promise.reject(Object.assign(new Error('the connection is gone'), { code: 'CONNECTION_CLOSED' }))
        : Reflect.apply(target, self, args),
  }) as Queries['sql'];
  const operations = createStepOperations({
    db: { ...db, sql },
    log: { warn: () => {} },
    agents: { call: async (_: unknown, { body }: { body?: unknown }) => void delivered.push(body) } as never,
    hostCalls: { follow: () => {} },
    own: { 'memo.put': { arguments: undefined as never, isAudited: true, run } },
    callLog: { record: async () => {} },
    background: (done) => void work.push(done),
    hostSeconds: 1,
  });
  const live = { id: stepId, sessionId: session.id } as CallingStep['live'];
  const signal = new AbortController().signal;
  const step = { live, route: routeOf(session) as never, signal, isHandedOver: true, onDenied };
  const call = { id: operationIdFor(stepId, 1), number: 1, name: 'memo.put', kind: 'own', arguments: [] } as const;
  await operations.begin([call], step);
  await Promise.all(work);
  return { delivered, run, onDenied };
}

test('a call that another replica has denied counts as denied after a hand-over', async () => {
  const { delivered, run, onDenied } = await handOver(violation);
  expect(delivered).toEqual([violation]);
  expect(onDenied).toHaveBeenCalledOnce();
  expect(run).not.toHaveBeenCalled();
});

test('a call whose earlier answer cannot be read at first is not done again', async () => {
  const { delivered, run, onDenied } = await handOver({ value: 'first' }, { failing: 2 });
  expect(delivered).toEqual([{ value: 'first' }]);
  expect(run).not.toHaveBeenCalled();
  expect(onDenied).not.toHaveBeenCalled();
});

test('a recovery takes a bounded number of calls, however short their answers are', async () => {
  const { db } = database;
  const { id: sessionId } = await activeSession(db);
  const { id: stepId } = await storedStep(db, { sessionId, number: 1 });
  await db.sql`insert into kept_answers (session_id, step_id, call, name, digest, answer)
    select ${sessionId}, ${stepId}, number, 'memo.get', '', '{"value":1}' from generate_series(1, 100000) as number`;
  const calls = await listAnswers(db, { sessionId, stepIds: [stepId] });
  expect(calls.length).toBeGreaterThan(50_000);
  expect(calls.length).toBeLessThan(90_000);
  expect(calls.at(-1)?.call).toBe(calls.length);
});

test('the answers that another replica has kept count towards the limit of a step that was handed over', async () => {
  const { db } = database;
  const session = await activeSession(db);
  const { id: stepId } = await storedStep(db, { sessionId: session.id, number: 1 });
  await db.sql`insert into kept_answers (session_id, step_id, call, name, digest, answer)
    select ${session.id}, ${stepId}, number, 'memo.get', '', repeat('x', 65000) from generate_series(1, 16) as number`;
  const log = createCallLog({ db, log: { warn: () => {} }, background: () => {} });
  const live = { id: stepId, sessionId: session.id } as CallingStep['live'];
  const { signal } = new AbortController();
  const step = { live, route: routeOf(session) as never, signal, isHandedOver: true, onDenied: () => {} };
  const keep = (number: number) =>
    log.record({
      step,
      call: { id: operationIdFor(stepId, number), number, name: 'memo.get', kind: 'own', arguments: [] },
      entry: null,
      answer: { value: 'x'.repeat(5000) },
      isKept: true,
    });
  for (let number = 17; number <= 30; number++) await keep(number);
  const [row] = await db.sql`select max(call) as last from kept_answers where step_id = ${stepId}`;
  expect(row).toEqual({ last: 17 });
});
