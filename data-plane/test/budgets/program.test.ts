import { newId, type Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { changeBudget, expectSettled, isRejected, readBudget, readSession, refused, send } from './budget-client.ts';

let installation: Installation;
let holdfast: Holdfast;
beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
});
afterAll(() => installation[Symbol.asyncDispose]());

test('a step tells what is left, the session stops when nothing is, and goes on when the budget is raised', async () => {
  const { id, budget } = await holdfast.createSession({ budget: { iterations: 2, cost: 0.5 } });
  expect(budget).toEqual({
    budgetOf: id,
    limits: { iterations: 2, timeSeconds: null, tokens: null, cost: '0.5' },
    used: { iterations: 0, timeSeconds: 0, tokens: 0, cost: '0' },
    remaining: { iterations: 2, timeSeconds: null, tokens: null, cost: '0.5' },
  });
  const first = await holdfast.runStep(id, { code: 'n = 1' });
  expect(first.budgetRemaining).toEqual({ iterations: 1, timeSeconds: null, tokens: null, cost: '0.5' });
  expect(await readSession(holdfast, id)).toMatchObject({ status: 'active' });
  const last = await holdfast.runStep(id, { code: 'n + 1' });
  expect(last).toMatchObject({ status: 'succeeded', budgetRemaining: { iterations: 0 } });
  expect(await readSession(holdfast, id)).toMatchObject({ status: 'budget_exceeded', epoch: 1 });
  expect(await send(holdfast, id)).toMatchObject({ ...refused, headers: expect.anything() });
  const raised = await changeBudget(holdfast, id, { iterations: 3 });
  expect(raised).toMatchObject({ status: 200, body: { status: 'active', budget: { remaining: { iterations: 1 } } } });
  expect(await holdfast.runStep(id, { code: 'n' })).toMatchObject({ results: [{ data: { 'text/plain': '1' } }] });
});

test('a refused step is in the history and in the audit log, and its Idempotency-Key stays free', async () => {
  const { id } = await holdfast.createSession({ budget: { iterations: 0 } });
  expect(await readSession(holdfast, id)).toMatchObject({ status: 'budget_exceeded' });
  const key = { 'Idempotency-Key': newId('uid') };
  const path = `/v1/sessions/${id}/steps`;
  expect(await holdfast.request('POST', path, { code: 'x = 1' }, key)).toMatchObject(refused);
  expect(await holdfast.history(id)).toMatchObject([
    {
      status: 'rejected',
      outcome: { tag: 'error', kind: 'budget', stateSurvived: true },
      code: 'x = 1',
      startedAt: null,
      budgetRemaining: { iterations: 0 },
    },
  ]);
  const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/audit?operation=step.run`)).body;
  expect(items).toMatchObject([{ decision: 'denied', rule: 'budget', turn: 1 }]);
  await changeBudget(holdfast, id, { iterations: 1 });
  expect(await holdfast.request('POST', path, { code: 'x = 1' }, key)).toMatchObject({
    status: 200,
    body: { status: 'succeeded' },
  });
});

test('an endless step is stopped when the time of its budget is over', async () => {
  const { id } = await holdfast.createSession({ budget: { timeSeconds: 1.5 } });
  await holdfast.runStep(id, { code: 'import time; time.sleep(0.4); kept = 1' });
  const left = (await readBudget(holdfast, id)).remaining.timeSeconds ?? 0;
  expect(left).toBeLessThanOrEqual(1.1);
  const step = await holdfast.runStep(id, { code: 'while True: pass', timeoutSeconds: 60 });
  expect(step).toMatchObject({
    status: 'timed_out',
    outcome: { tag: 'error', kind: 'budget', stateSurvived: true },
    error: {
      name: 'BudgetExceeded',
      message: expect.stringMatching(/^the time of the budget was over/),
      traceback: [],
    },
    cause: { code: 'timeout', message: 'the time of the budget was over' },
    budgetRemaining: { timeSeconds: 0 },
  });
  const events = [];
  for await (const event of holdfast.followStep(id, step.id)) events.push(event);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(step.durationMs).toBeLessThan((left + 1) * 1000);
  expect(await readSession(holdfast, id)).toMatchObject({ status: 'budget_exceeded' });
  expect(await send(holdfast, id)).toMatchObject(refused);
  await changeBudget(holdfast, id, { timeSeconds: 60 });
  expect(await holdfast.runStep(id, { code: 'kept' })).toMatchObject({ status: 'succeeded' });
});

test('a step that reaches its own timeout leaves its session active', async () => {
  const { id } = await holdfast.createSession({ budget: { timeSeconds: 60 } });
  const step = await holdfast.runStep(id, { code: 'while True: pass', timeoutSeconds: 0.3 });
  expect(step).toMatchObject({ status: 'timed_out', outcome: { kind: 'runtime-error' } });
  expect(await readSession(holdfast, id)).toMatchObject({ status: 'active' });
});

test('an endless job is stopped when the time of its budget is over, and takes an iteration', async () => {
  const { id } = await holdfast.createSession({ budget: { timeSeconds: 1, iterations: 5 } });
  const job = await holdfast.request('POST', '/v1/run', {
    sessionId: id,
    language: 'python',
    code: 'while True: pass',
    timeoutSeconds: 60,
  });
  expect(job).toMatchObject({ status: 200, body: { status: 'timed_out' } });
  expect(await readBudget(holdfast, id)).toMatchObject({ remaining: { timeSeconds: 0, iterations: 4 } });
  const again = await holdfast.request('POST', '/v1/run', { sessionId: id, language: 'bash', code: 'echo' });
  expect(again).toMatchObject(refused);
  const [first, second] = await holdfast.history(id);
  expect(first).toMatchObject({ outcome: { kind: 'budget' }, job: { timedOut: true } });
  expect(second).toMatchObject({ status: 'rejected', contextId: null, job: { filename: expect.any(String) } });
});

test('a session that may spend nothing more keeps its files and can be completed', async () => {
  const { id } = await holdfast.createSession({ budget: { iterations: 1 } });
  await holdfast.runStep(id, { code: 'open("kept.txt", "w").write("here")' });
  expect(await readSession(holdfast, id)).toMatchObject({ status: 'budget_exceeded' });
  const file = await fetch(`${holdfast.url}/v1/sessions/${id}/files/kept.txt`);
  expect(await file.text()).toBe('here');
  const completed = await holdfast.request('POST', `/v1/sessions/${id}/complete`);
  expect(completed).toMatchObject({ status: 200, body: { status: 'completed', endReason: 'completed_by_host' } });
});

test('a session that may spend nothing more can be paused and resumed, and is then still exceeded', async () => {
  const { id } = await holdfast.createSession({ budget: { iterations: 1 } });
  await holdfast.runStep(id, { code: 'n = 7' });
  expect(await holdfast.request('POST', `/v1/sessions/${id}/pause`)).toMatchObject({ status: 200 });
  const resumed = await holdfast.request('POST', `/v1/sessions/${id}/resume`);
  expect(resumed).toMatchObject({ status: 200, body: { status: 'budget_exceeded', epoch: 2 } });
  expect(await send(holdfast, id)).toMatchObject(refused);
  await changeBudget(holdfast, id, { iterations: 2 });
  expect(await holdfast.runStep(id, { code: 'n' })).toMatchObject({ results: [{ data: { 'text/plain': '7' } }] });
}, 60_000);

test('forks and sessions that ask for it share one budget, in parallel', async () => {
  const { id } = await holdfast.createSession({ budget: { iterations: 5 } });
  await holdfast.runStep(id, { code: 'n = 1' });
  const forks = await holdfast.request('POST', `/v1/sessions/${id}/fork`, { count: 1 });
  const fork = forks.body.items[0].id as string;
  const { id: sharing } = await holdfast.createSession({ budgetOf: fork });
  const ids = [id, fork, sharing];
  for (const one of ids) expect(await readBudget(holdfast, one)).toMatchObject({ budgetOf: id });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => send(holdfast, ids[n % 3] as string)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(26);
  for (const one of ids) expect(await readSession(holdfast, one)).toMatchObject({ status: 'budget_exceeded' });
  const rejected = (await Promise.all(ids.map((one) => holdfast.history(one)))).flat().filter(isRejected);
  expect(rejected).toHaveLength(26);
  await expectSettled(installation.database.db, ids);
  await changeBudget(holdfast, fork, { iterations: 6 });
  for (const one of ids) expect(await readSession(holdfast, one)).toMatchObject({ status: 'active' });
}, 60_000);

test('a budget outlives the session for which it was made, as long as others share it', async () => {
  const { id } = await holdfast.createSession({ budget: { iterations: 3 } });
  const { id: sharing } = await holdfast.createSession({ budgetOf: id });
  await holdfast.runStep(id, { code: '1' });
  await holdfast.deleteSession(id);
  expect(await readBudget(holdfast, sharing)).toMatchObject({ budgetOf: id, remaining: { iterations: 2 } });
  await holdfast.runStep(sharing, { code: '1' });
  expect(await readBudget(holdfast, sharing)).toMatchObject({ remaining: { iterations: 1 } });
  const { db } = installation.database;
  const budgets = async () => await db.sql`select id from budgets where session_id = ${id}`;
  expect(await budgets()).toHaveLength(1);
  await holdfast.deleteSession(sharing);
  expect(await budgets()).toHaveLength(0);
}, 60_000);

test('usage that the host reports is exact, stops the next step, and is charged once per Idempotency-Key', async () => {
  const { id } = await holdfast.createSession({ budget: { tokens: 1000, cost: '0.3' } });
  const report = async (usage: object, key?: string) =>
    await holdfast.request('POST', `/v1/sessions/${id}/usage`, usage, key ? { 'Idempotency-Key': key } : {});
  const key = newId('uid');
  const first = await report({ tokens: 400, cost: 0.1 }, key);
  expect(first).toMatchObject({ status: 200, body: { budgetRemaining: { tokens: 600, cost: '0.2' } } });
  expect(await report({ tokens: 400, cost: 0.1 }, key)).toMatchObject({ status: 200, body: first.body });
  expect(await report({ tokens: 401 }, key)).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } });
  expect(await send(holdfast, id)).toMatchObject({ status: 200 });
  // 0.1 and 0.2 are more than 0.3 as floating point.
  expect(await report({ cost: 0.2 })).toMatchObject({ body: { budgetRemaining: { tokens: 600, cost: '0' } } });
  expect(await readSession(holdfast, id)).toMatchObject({
    status: 'budget_exceeded',
    budget: { used: { cost: '0.3' } },
  });
  expect(await send(holdfast, id)).toMatchObject(refused);
});

test('steps that run at once share the time, and one that finds it reserved is told to come again', async () => {
  const { id } = await holdfast.createSession({ budget: { timeSeconds: 30 } });
  const [, context] = await Promise.all([
    holdfast.runStep(id, { code: '1', timeoutSeconds: 5 }),
    holdfast.request('POST', `/v1/sessions/${id}/contexts`, { language: 'python' }),
  ]);
  const held = Promise.withResolvers<string>();
  const running = (async () => {
    let last: Step | null = null;
    for await (const event of holdfast.streamStep(id, { code: 'import time; print(1, flush=True); time.sleep(2)' })) {
      if (event.type === 'stdout') held.resolve(event.stepId);
      if (event.type === 'finished') last = event.step;
    }
    return last;
  })();
  await held.promise;
  const other = { code: '2', contextId: context.body.id, timeoutSeconds: 1 };
  const answer = await send(holdfast, id, other);
  expect(answer).toMatchObject(refused);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await readSession(holdfast, id)).toMatchObject({ status: 'active' });
  expect(await running).toMatchObject({ status: 'succeeded' });
  expect(await send(holdfast, id, other)).toMatchObject({ status: 200 });
}, 60_000);

test('a session can leave its budget, and get another one', async () => {
  const { id } = await holdfast.createSession({ budget: { iterations: 0 } });
  expect(await changeBudget(holdfast, id, null)).toMatchObject({ body: { status: 'active', budget: null } });
  expect(await holdfast.runStep(id, { code: '1' })).toMatchObject({ status: 'succeeded', budgetRemaining: null });
  expect(await changeBudget(holdfast, id, { iterations: 1 })).toMatchObject({ body: { budget: { budgetOf: id } } });
  expect(await holdfast.runStep(id, { code: '1' })).toMatchObject({ budgetRemaining: { iterations: 0 } });
  expect(await send(holdfast, id)).toMatchObject(refused);
});
