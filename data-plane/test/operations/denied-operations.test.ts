import type { StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchSession } from '../sharing/watch-session.ts';
import { eventually } from '../support/eventually.ts';
import { endOf, hostOf, openStage, type Replica, readAnswering, type Stage, waitsFor } from './stage.ts';

let stage: Stage;
let here: Replica;
let there: Replica;

beforeAll(async () => {
  stage = await openStage();
  [here, there] = await Promise.all([stage.start(), stage.start()]);
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose](), 60_000);

const policy = { deniedOperations: ['jira.*'], llm: { maxTokensPerCall: 10 } };

/** Asks before and after two calls that the policy denies. */
const code = `
holdfast.call("first")
for name, args in ("jira.create", ["a"]), ("llm.complete", ["Hi", {"maxTokens": 11}]):
    try: holdfast.call(name, *args)
    except holdfast.PolicyViolation as e: print(e.rule)
print(holdfast.call("last"), holdfast.session.operations_count)`;

const stdout = 'deniedOperations: jira.*\nllm.maxTokensPerCall\nlast 2\n';

/** The events of the step's calls, as every reader must see them. */
const calls = [
  ['operation_request', 'first', undefined],
  ['operation_denied', 'jira.create', 'deniedOperations: jira.*'],
  ['operation_denied', 'llm.complete', 'llm.maxTokensPerCall'],
  ['operation_request', 'last', undefined],
];

const callsIn = (events: readonly object[]) =>
  (events as { type: string; name?: string; rule?: string }[])
    .filter(({ type }) => type.startsWith('operation_'))
    .map(({ type, name, rule }) => [type, name, rule]);

const untimed = (events: readonly StepEvent[]) => events.map((event) => ({ ...event, time: null }));

test('a denied call is shown as a denial with its rule, and never as a request: live, on another replica and in the replay', async () => {
  const { id: sessionId } = await here.createSession({ policy });
  const stream = here.streamStep(sessionId, { code });
  const { value: begun } = await stream.next();
  const stepId = begun?.stepId ?? '';
  // It answers what it sees, so it sees the denied calls before the step ends.
  const elsewhere = readAnswering(there.followStep(sessionId, stepId), (operationId, name) =>
    hostOf(there, sessionId).answer(operationId, { value: name }),
  );
  const live = [begun as StepEvent];
  for await (const event of stream) live.push(event);
  expect(callsIn(live)).toEqual(calls);
  expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => index + 1));
  expect(live.find(({ type }) => type === 'operation_denied')).not.toHaveProperty('arguments');
  expect(untimed(await elsewhere)).toEqual(untimed(live));
  const replay: StepEvent[] = [];
  for await (const event of there.followStep(sessionId, stepId)) replay.push(event);
  expect(replay).toEqual(live);
  const { operations, ...step } = endOf(live);
  expect(step.stdout).toBe(stdout);
  expect(operations.map(({ name }) => name)).toEqual(['first', 'last']);
});

test('the stream of a session shows it so on both replicas', async () => {
  const { id: sessionId } = await here.createSession({ policy });
  const watchers = [here, there].map(({ url }) => {
    const watcher = watchSession(sessionId);
    watcher.connect(url);
    return watcher;
  });
  await readAnswering(here.streamStep(sessionId, { code }), async (operationId, name) => {
    // The denied calls come before the last one, whose step goes on only when each watcher has seen it.
    for (const { seen } of watchers)
      await eventually(() => expect(seen.some(({ data }) => data.operationId === operationId)).toBe(true), 30_000);
    await hostOf(here, sessionId).answer(operationId, { value: name });
  });
  for (const { seen } of watchers) {
    expect(callsIn(seen.map(({ data }) => data))).toEqual(calls);
    const entries = seen.filter(({ data }) => data.type === 'session' && data.stepId !== null);
    expect(entries.map(({ data }) => data.turn)).toEqual(entries.map(() => 1));
    expect(entries.map(({ data }) => data.operation)).toEqual(expect.arrayContaining(['first', 'jira.create']));
  }
});

test('the outcome `needs` never names a denied call', async () => {
  const { id: sessionId } = await here.createSession({ policy });
  const step = await here.runStep(sessionId, { code });
  const first = await waitsFor(there, sessionId, 'first');
  expect(step.outcome).toMatchObject({ tag: 'needs', operationId: first.id });
  await hostOf(there, sessionId).answer(first.id, { value: 1 });
  const last = await waitsFor(there, sessionId, 'last');
  const waiting = await hostOf(here, sessionId).step(step.id);
  expect(waiting.outcome).toMatchObject({ tag: 'needs', operationId: last.id });
  expect(waiting.operations.map(({ name }) => name)).toEqual(['first', 'last']);
  const denied = (await hostOf(here, sessionId).all()).filter(({ status }) => status === 'denied');
  expect(denied.map(({ name }) => name)).toEqual(['jira.create', 'llm.complete']);
  const refused = await hostOf(here, sessionId).answer(denied[0]?.id ?? '', { value: 1 });
  expect(refused).toMatchObject({ status: 409, body: { code: 'operation-ended' } });
});

test('it stays denied for a replica that takes the step over when the policy allows it', {
  timeout: 90_000,
}, async () => {
  const leaving = await stage.start();
  const { id: sessionId } = await leaving.createSession({ policy });
  const step = await leaving.runStep(sessionId, { code });
  const first = await waitsFor(there, sessionId, 'first');
  await hostOf(there, sessionId).answer(first.id, { value: 1 });
  const last = await waitsFor(there, sessionId, 'last');
  await leaving.kill();
  const loosened = { deniedOperations: [], llm: { maxTokensPerCall: 11 } };
  expect((await there.request('PATCH', `/v1/sessions/${sessionId}`, { policy: loosened })).status).toBe(200);
  await hostOf(there, sessionId).answer(last.id, { value: 'last' });
  expect((await hostOf(there, sessionId).ended(step.id)).stdout).toBe(stdout);
  const replay: StepEvent[] = [];
  for await (const event of here.followStep(sessionId, step.id)) replay.push(event);
  expect(callsIn(replay)).toEqual(calls);
});
