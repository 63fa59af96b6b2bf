import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AgentStep, encodeFrame } from '@holdfast/specs/agent';
import { newId, operationIdFor, runStepSchema } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';

type Sent = Parameters<typeof encodeFrame>;

let database: TestDatabase;
let cluster: ScriptedCluster;
let replica: TestReplica;
/** The frames that the agent sends for a step after the first one. Unless it `stays`, the stream then ends. */
let script: (stepId: string) => { frames: Sent[]; stays?: boolean };
/** The calls that got an answer, as `number: name of the error or value`. */
let answered: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  cluster = createScriptedCluster();
  replica = await startReplica({ address: database.address, runtime: cluster.runtime([]) });
  cluster.answering = (request, response) => {
    const call = /^\/v1\/steps\/\w+\/operations\/(\d+)$/.exec(request.url ?? '')?.[1];
    if (call) void takeAnswer(call, request, response);
    else if (request.method === 'POST' && request.url === '/v1/steps') void runScript(request, response);
    else return false;
    return true;
  };
});
afterAll(async () => {
  await replica.stop();
  await cluster.close();
  await database.drop();
});

async function jsonOf(request: IncomingMessage) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

async function runScript(request: IncomingMessage, response: ServerResponse) {
  const { stepId }: AgentStep = await jsonOf(request);
  const { frames, stays } = script(stepId);
  response.write(encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }));
  for (const frame of frames) response.write(encodeFrame(...frame));
  if (!stays) response.end();
}

async function takeAnswer(call: string, request: IncomingMessage, response: ServerResponse) {
  const { error, value } = await jsonOf(request);
  answered.push(`${call}: ${error?.name ?? value}`);
  response.writeHead(204).end();
}

const call = (number: number, more: object = {}) => ({ call: number, name: 'ask', arguments: '[]', ...more });
const asked = (...calls: object[]): Sent[] => calls.map((one, index) => ['operation_request', index + 2, one]);
const done = {
  status: 'succeeded',
  contextEpoch: 1,
  executionCount: 1,
  durationMs: 1,
  stateSurvived: true,
  cause: null,
};
const ended = (frames: Sent[]): Sent[] => [...frames, ['done', frames.length + 2, done]];

/** Begins a step in a session of its own, whose agent sends these frames. */
async function step(frames: Sent[], { stays = false } = {}) {
  answered = [];
  script = () => ({ frames, stays });
  const { id: sessionId } = await replica.createSession();
  const { caller } = replica;
  const live = await replica.verbs.runStep({ caller, sessionId, request: runStepSchema.parse({ code: '1' }) });
  live.watched();
  const operations = async () =>
    await database.db.sql<{ id: string; sessionId: string; stepId: string; call: number }[]>`
      select id, session_id as "sessionId", step_id as "stepId", call from operations where step_id = ${live.id} order by call`;
  const untilEnded = () => eventually(() => expect(live.finished ?? live.failure).not.toBeNull(), 30_000);
  return { sessionId, live, operations, untilEnded };
}

test.each([
  ['a number twice', [call(1), call(1)], [1]],
  ['a number left out', [call(1), call(3)], [1]],
  ['no first number', [call(2)], []],
  ['the number 0', [call(0)], []],
  ['a number beyond the limit', [call(10_001)], []],
  ['a name that is none', [call(1, { name: 'a b' })], []],
])('calls with %s end their step and make no operations', async (_, calls, numbers) => {
  const { live, operations, untilEnded } = await step(ended(asked(...calls)));
  await untilEnded();
  const [row] = await database.db.sql`select status from steps where id = ${live.id}`;
  expect(row?.status).toBe('lost');
  expect((await operations()).every((one) => numbers.includes(one.call))).toBe(true);
});

test('a call after the end of its step makes no operation', async () => {
  const { operations, untilEnded } = await step([
    ['done', 2, done],
    ['operation_request', 3, call(1)],
  ]);
  await untilEnded();
  expect(await operations()).toEqual([]);
});

test('a call belongs to its own step and session, whatever ids the agent names', async () => {
  const { id: victim } = await replica.createSession();
  const named = { sessionId: victim, stepId: newId('stp'), operationId: newId('op') };
  const one = await step(asked(call(1, named)), { stays: true });
  await eventually(async () => expect(await one.operations()).toHaveLength(1));
  const own = { id: operationIdFor(one.live.id, 1), sessionId: one.sessionId, stepId: one.live.id, call: 1 };
  expect(await one.operations()).toEqual([own]);
  const { caller } = replica;
  const result = { value: 1 };
  for (const [sessionId, operationId, by] of [
    [victim, own.id, caller],
    [one.sessionId, named.operationId, caller],
    [one.sessionId, own.id, { ...caller, tenant: 'other' }],
  ] as const) {
    const answer = replica.verbs.answerOperation({ caller: by, sessionId, operationId, result });
    await expect(answer).rejects.toMatchObject({ slug: 'not-found' });
  }
  expect(answered).toEqual([]);
  await replica.verbs.answerOperation({ caller, sessionId: one.sessionId, operationId: own.id, result });
  expect(answered).toEqual(['1: 1']);
});

test('a flood of calls makes a thousand operations at most, and the rest are refused', async () => {
  const calls = Array.from({ length: 1200 }, (_, index) => call(index + 1));
  const one = await step(asked(...calls), { stays: true });
  await eventually(() => expect(answered).toHaveLength(200), 30_000);
  expect(new Set(answered.map((line) => line.split(': ')[1]))).toEqual(new Set(['OperationError']));
  expect(await one.operations()).toHaveLength(1000);
});

test('a flood of arguments that take long to parse is refused call by call', async () => {
  const keys = Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join(',');
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const bad = [`[{${keys}}]`, `[${deep}]`, '{"a":1}', 'no JSON'];
  const one = await step(asked(...bad.map((text, index) => call(index + 1, { arguments: text }))), { stays: true });
  await eventually(() => expect([...answered].sort()).toEqual([1, 2, 3, 4].map((n) => `${n}: OperationError`)));
  expect(await one.operations()).toEqual([]);
});
