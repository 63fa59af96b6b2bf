import { encodeFrame, type Frame, frameAt } from '@holdfast/specs/agent';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentError } from '../../src/agent/agent-error.ts';
import { createByteBudget } from '../../src/agent/byte-budget.ts';
import { type FollowDependencies, followStep, repeatedStep } from '../../src/steps/follow-step.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const caller = { tenant: 'acme', scopes: new Set(['run'] as const), keyId: null };
const request = { prompt: 'Name: ', password: false };

/** A replica that follows no step, and an agent whose step runs until its last reader has left; `readers` are their signals. */
function elsewhere({ waits, frames = [] }: { waits: boolean; frames?: Frame[] }) {
  const readers = new Set<AbortSignal>();
  type Asked = { signal: AbortSignal; onFrames(frames: Frame[], heldBytes: number): Promise<void> };
  const stream = (_: unknown, { signal, onFrames }: Asked) =>
    new Promise<void>((resolve, reject) => {
      readers.add(signal);
      if (frames.length > 0) onFrames(frames, 0).catch(reject);
      signal.addEventListener('abort', () => {
        readers.delete(signal);
        resolve();
      });
    });
  const call = async () => ({ request: waits ? request : null });
  const find = async () => ({ epoch: 1, contextEpochMax: 0 });
  const byteBudget = createByteBudget({ replicaBytesMax: 1000 });
  const deps = { db: database.db, agents: { stream, call }, routes: { find }, liveSteps: new Map(), byteBudget };
  return { deps: deps as unknown as FollowDependencies, readers, byteBudget };
}

const running = { status: 'running', finishedAt: null, startedAt: null } as const;

test.each(['answered', 'disconnected'] as const)(
  'a reader of a step on another replica stops reading from the agent when it was %s',
  async (how) => {
    const { id: sessionId } = await activeSession(database.db);
    const { id: stepId } = await storedStep(database.db, { sessionId, number: 1, ...running });
    const { deps, readers } = elsewhere({ waits: true });
    const live = await followStep(deps, { caller, sessionId, stepId });
    await expect.poll(() => readers.size).toBe(1);
    live[how]();
    expect(readers.size).toBe(0);
  },
);

test('readers of a step on another replica give their memory to the steps of this one', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const { id: stepId } = await storedStep(database.db, { sessionId, number: 1, ...running });
  const frames = [frameAt(encodeFrame('stdout', 1, Buffer.alloc(600)), 0) as Frame];
  const { deps, readers, byteBudget } = elsewhere({ waits: false, frames });
  const live = await followStep(deps, { caller, sessionId, stepId });
  await expect.poll(() => live.frames.length).toBe(1);
  const own = byteBudget.open('ses_other', (error) => {
    throw error;
  });
  own.set(500);
  expect(live).toMatchObject({ frames: [], failure: { slug: 'quota-exceeded' } });
  expect(readers.size).toBe(0);
});

test('a step that reaches its agent after its row was written is read along from then on', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const { id: stepId } = await storedStep(database.db, { sessionId, number: 1, ...running });
  const frames = [frameAt(encodeFrame('stdout', 1, Buffer.from('a')), 0) as Frame];
  const { deps } = elsewhere({ waits: false, frames });
  const { stream } = deps.agents;
  let refused = 0;
  deps.agents.stream = async (...asked) => {
    if (refused === 2) return await stream(...asked);
    refused += 1;
    throw new AgentError('refused', 'the step is not known');
  };
  const live = await followStep(deps, { caller, sessionId, stepId });
  await expect.poll(() => live.frames.length).toBe(1);
  live.disconnected();
});

test('frames that a reader could not take come with the end of the step, in their order', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const { id: stepId } = await storedStep(database.db, { sessionId, number: 1, ...running });
  const texts = ['a', 'b', 'c'].map((text, n) => encodeFrame('stdout', n + 1, Buffer.from(text)));
  const [first, second, third] = texts.map((bytes) => [frameAt(bytes, 0) as Frame]);
  const { deps } = elsewhere({ waits: false });
  let attached = 0;
  deps.agents.stream = async (_, { onFrames }) => {
    attached += 1;
    if (attached > 1) {
      await onFrames(third ?? [], 0);
      return;
    }
    await onFrames(first ?? [], 0);
    // The second frame counts as received, and then its kernel's number turns out to be impossible.
    const kernel = frameAt(encodeFrame('started', 2, { contextEpoch: 999_999, executionCount: 1 }), 0) as Frame;
    await onFrames([kernel], 0);
  };
  const live = await followStep(deps, { caller, sessionId, stepId });
  await expect.poll(() => live.frames.length).toBe(1);
  await database.db.sql`
    update steps set events = ${Buffer.concat(texts)}, status = 'succeeded', finished_at = now() where id = ${stepId}`;
  await expect.poll(() => live.finished).toMatchObject({ stdout: 'abc' });
  expect(live.frames.map((frame) => frame.readUInt32BE(4))).toEqual([1, 2, 3]);
  expect([second?.length, attached]).toEqual([1, 1]);
});

test('a call that the registry never gets is not shown, and the reader still gets the end of the step', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const { id: stepId } = await storedStep(database.db, { sessionId, number: 1, ...running });
  const output = encodeFrame('stdout', 1, Buffer.from('a'));
  const call = encodeFrame('operation_request', 2, { call: 1, name: 'ask', arguments: '[]' });
  const { deps } = elsewhere({ waits: false });
  const refusal = Promise.withResolvers<unknown>();
  deps.agents.stream = async (_, { onFrames }) => {
    await onFrames([frameAt(output, 0) as Frame], 0);
    await Promise.resolve(onFrames([frameAt(call, 0) as Frame], 0)).catch(refusal.resolve);
  };
  const live = await followStep(deps, { caller, sessionId, stepId });
  await expect.poll(() => live.frames).toHaveLength(1);
  await database.db.sql`
    update steps set events = ${output}, status = 'lost', finished_at = now() where id = ${stepId}`;
  expect(await refusal.promise).toMatchObject({ message: 'the step has ended' });
  await expect.poll(() => live.finished).toMatchObject({ status: 'lost', stdout: 'a', operations: [] });
  expect(live.frames).toHaveLength(1);
});

test('a repeated request is a conflict while its step runs, unless the step waits for input', async () => {
  const { id: sessionId } = await activeSession(database.db);
  const fingerprint = Buffer.from('one');
  const { id: stepId } = await storedStep(database.db, { sessionId, number: 1, fingerprint, ...running });
  const key = { sessionId, stepId, fingerprint };
  const conflict = expect.objectContaining({ slug: 'idempotency-conflict' });
  const busy = elsewhere({ waits: false });
  await expect(repeatedStep(busy.deps, key)).rejects.toEqual(conflict);
  const waiting = elsewhere({ waits: true });
  const mismatch = expect.objectContaining({ slug: 'idempotency-mismatch' });
  await expect(repeatedStep(waiting.deps, { ...key, fingerprint: Buffer.from('two') })).rejects.toEqual(mismatch);
  const repeated = await repeatedStep(waiting.deps, key);
  expect(repeated?.id).toBe(stepId);
  repeated?.answered();
});
