import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { recordOperationAnswer } from '../../src/registry/operations/record-operation-answer.ts';
import { agentOf } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { hostOf, openStage, type Replica, type Stage, waitsFor } from './stage.ts';

let stage: Stage;
let staying: Replica;
let db: Database;

beforeAll(async () => {
  stage = await openStage();
  staying = await stage.start();
  db = connectDatabase({ url: stage.database.url, poolMax: 2 });
}, 60_000);
afterAll(async () => {
  await db.close();
  await stage[Symbol.asyncDispose]();
}, 60_000);

const languages = {
  python: 'print(holdfast.call("first")); print(holdfast.call("second"))',
  node: 'console.log(await holdfast.call("first")); console.log(await holdfast.call("second"))',
  bash: 'holdfast call first; holdfast call second',
} as const;

test.each(Object.entries(languages) as [keyof typeof languages, string][])(
  'a %s step that waits gets its answers through the replica that took it over from one that was killed',
  async (language, code) => {
    const leaving = await stage.start();
    const { id } = await leaving.createSession();
    const step = await leaving.runStep(id, { code, language });
    const first = await waitsFor(staying, id, 'first');
    await leaving.kill();
    // The agent has the answer before any replica has taken the step over.
    expect((await hostOf(staying, id).answer(first.id, { value: 1 })).status).toBe(200);
    const second = await waitsFor(staying, id, 'second');
    expect((await hostOf(staying, id).answer(second.id, { value: 2 })).status).toBe(200);
    const host = hostOf(staying, id);
    expect(await host.ended(step.id)).toMatchObject({ status: 'succeeded', stdout: '1\n2\n' });
    expect((await host.all()).map(({ name, status }) => [name, status])).toEqual([
      ['first', 'succeeded'],
      ['second', 'succeeded'],
    ]);
  },
  90_000,
);

test.each([
  ['a short answer', 'recorded', 'stays for a replay'],
  ['a long answer', 'x'.repeat(66_000), 'is not kept'],
])(
  '%s that was recorded by a replica that died before it was delivered reaches the code',
  async (_length, value, then) => {
    const { id: sessionId } = await staying.createSession();
    const step = await staying.runStep(sessionId, { code: 'print(len(holdfast.call("left")))' });
    const { id } = await waitsFor(staying, sessionId, 'left');
    const answer = JSON.stringify({ value });
    const fingerprint = createHash('sha256').update(answer).digest();
    await recordOperationAnswer(db, {
      sessionId,
      id,
      status: 'succeeded',
      answer,
      fingerprint,
      answeredBy: null,
      spent: null,
    });
    const ended = await hostOf(staying, sessionId).ended(step.id);
    expect(ended.stdout).toBe(`${value.length}\n`);
    await eventually(async () => {
      const [row] = await db.sql`select answer, delivered_at from operations where id = ${id}`;
      expect(row?.answer, then).toBe(value.length > 64 * 1024 ? null : answer);
      expect(row?.delivered_at).not.toBe(null);
    });
  },
);

test('a data-plane that starts again in the middle of a wait delivers the answer that came meanwhile', async () => {
  await using alone = await openStage();
  const only = await alone.start({ HOLDFAST_DRAIN_SECONDS: '1' });
  const { id: sessionId } = await only.createSession();
  const step = await only.runStep(sessionId, { code: 'holdfast.call("over-night")' });
  const { id } = await waitsFor(only, sessionId, 'over-night');
  await only.stop();
  const again = await alone.start();
  const host = hostOf(again, sessionId);
  expect((await host.pending()).map((operation) => operation.id)).toEqual([id]);
  expect((await host.answer(id, { value: 'morning' })).status).toBe(200);
  expect((await host.ended(step.id)).results[0]?.data['text/plain']).toBe("'morning'");
}, 120_000);

test('the operation of a step that was lost with its sandbox has ended, and the next step calls anew', async () => {
  const { id: sessionId } = await staying.createSession({ recovery: 'auto' });
  const host = hostOf(staying, sessionId);
  const agent = await agentOf(staying, sessionId);
  const step = await staying.runStep(sessionId, { code: 'holdfast.call("lost")' });
  const { id } = await waitsFor(staying, sessionId, 'lost');
  process.kill(agent, 'SIGKILL');
  expect((await host.ended(step.id)).status).toBe('lost');
  expect(await host.pending()).toEqual([]);
  expect((await host.all()).find((operation) => operation.id === id)?.status).toBe('ended');
  expect((await host.answer(id, { value: 1 })).status).toBe(409);
  await eventually(async () => {
    const session = (await staying.request('GET', `/v1/sessions/${sessionId}`)).body;
    expect(session).toMatchObject({ status: 'active', epoch: 2 });
  }, 40_000);
  const next = await staying.runStep(sessionId, { code: 'holdfast.call("again")' });
  const again = await waitsFor(staying, sessionId, 'again');
  expect((await host.answer(again.id, { value: 7 })).status).toBe(200);
  expect((await host.ended(next.id)).results[0]?.data['text/plain']).toBe('7');
}, 90_000);

const replicaOf = async (stepId: string) =>
  (await db.sql<{ replica_id: string }[]>`select replica_id from steps where id = ${stepId}`)[0]?.replica_id;

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'a change that code made is not made again by the replica that takes its step over after %s',
  async (signal) => {
    const leaving = await stage.start();
    const { id } = await leaving.createSession();
    const code =
      'holdfast.call("memo.put", "k", "first"); holdfast.call("hold"); print(holdfast.call("memo.get", "k"))';
    const { id: stepId } = await leaving.runStep(id, { code });
    const held = await waitsFor(staying, id, 'hold');
    const before = await replicaOf(stepId);
    process.kill(leaving.pid, signal);
    await staying.runStep(id, { code: 'holdfast call memo.put \'"k"\' \'"later"\'', language: 'bash' });
    await eventually(async () => expect(await replicaOf(stepId)).not.toBe(before), 60_000);
    expect((await hostOf(staying, id).answer(held.id, { value: null })).status).toBe(200);
    expect(await hostOf(staying, id).ended(stepId)).toMatchObject({ status: 'succeeded', stdout: 'later\n' });
    if (signal === 'SIGSTOP') process.kill(leaving.pid, 'SIGCONT');
    const entries = await db.sql`select from audit_entries where session_id = ${id} and operation = 'memo.put'`;
    expect(entries.length).toBe(2);
  },
  120_000,
);
