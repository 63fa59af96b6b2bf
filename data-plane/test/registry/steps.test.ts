import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { listSteps, readSteps } from '../../src/registry/steps/list-steps.ts';
import { listSucceededSteps, readCode } from '../../src/registry/steps/list-succeeded-steps.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.drop());

const mebibyte = 1024 * 1024;

async function pages(sessionId: string, limit: number, order?: 'asc' | 'desc'): Promise<number[][]> {
  const found: number[][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listSteps(db, { sessionId, limit, cursor, ...(order && { order }) });
    found.push(page.items.map(({ number }) => number));
    cursor = page.nextCursor;
  }
  return found;
}

const codeOf = (found: { stepId: string }[]) =>
  readCode(db, { stepIds: found.map(({ stepId }) => stepId), signal: new AbortController().signal });

test('a step is found with its exact events, under its own session only', async () => {
  const { id: sessionId } = await activeSession(db);
  const other = await activeSession(db);
  const events = Buffer.from([0, 255, 1, 0, 128]);
  const step = await storedStep(db, { sessionId, number: 1, events, durationMs: 1.25 });
  expect(await findStep(db, { sessionId, stepId: step.id })).toEqual({
    ...step,
    events,
    eventBytes: 5,
    durationMs: 1.25,
  });
  expect(await findStep(db, { sessionId: other.id, stepId: step.id })).toBeNull();
});

test('a page of steps is ordered and ends at its limit, and the next page continues there', async () => {
  const { id: sessionId } = await activeSession(db);
  for (const number of [3, 1, 4, 2, 5]) await storedStep(db, { sessionId, number });
  expect(await pages(sessionId, 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(await pages(sessionId, 5)).toEqual([[1, 2, 3, 4, 5]]);
  expect(await pages(sessionId, 2, 'desc')).toEqual([[5, 4], [3, 2], [1]]);
  const backwards = { sessionId, first: 4, last: 2, order: 'desc', signal: new AbortController().signal } as const;
  expect((await readSteps(db, backwards)).map(({ number }) => number)).toEqual([4, 3, 2]);
  const read = await readSteps(db, { sessionId, first: 2, last: 4, signal: new AbortController().signal });
  expect(read.map(({ number }) => number)).toEqual([2, 3, 4]);
});

test('a page holds at most 4 MiB of events, or one step that is larger', async () => {
  const { id: sessionId } = await activeSession(db);
  const sizes = [1, 2, 2, 6, 1, 1];
  for (const [i, size] of sizes.entries()) {
    await storedStep(db, { sessionId, number: i + 1, events: Buffer.alloc(size * mebibyte - 1000) });
  }
  expect(await pages(sessionId, 50)).toEqual([[1, 2], [3], [4], [5, 6]]);
});

test('a session without steps has one empty page', async () => {
  const { id: sessionId } = await activeSession(db);
  expect(await pages(sessionId, 2)).toEqual([[]]);
});

test('the succeeded code of an epoch is listed in the order in which it ran', async () => {
  const { id: sessionId } = await activeSession(db);
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
  await storedStep(db, { sessionId, number: 1, code: 'third', startedAt: at(3), executionCount: 2 });
  await storedStep(db, { sessionId, number: 2, code: 'second', startedAt: at(2), executionCount: 1 });
  await storedStep(db, { sessionId, number: 3, code: 'first', startedAt: at(1), contextId: 'node' });
  await storedStep(db, { sessionId, number: 4, code: 'failed', status: 'failed', startedAt: at(4) });
  await storedStep(db, { sessionId, number: 5, code: 'later life', epoch: 2, startedAt: at(5) });
  await storedStep(db, { sessionId, number: 6, code: 'fourth', startedAt: at(3), executionCount: 3, actor: 'user' });
  const found = await listSucceededSteps(db, { sessionId, epoch: 1 });
  expect(await codeOf(found)).toEqual(['first', 'second', 'third', 'fourth']);
  expect(found[3]).toMatchObject({ contextId: 'python', contextEpoch: 1, executionCount: 3, actor: 'user' });
});

test('within a context the code is listed in the order of its kernel, whatever the clocks said', async () => {
  const { id: sessionId } = await activeSession(db);
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
  await storedStep(db, { sessionId, number: 1, code: 'a1', startedAt: at(9), executionCount: 1 });
  await storedStep(db, { sessionId, number: 2, code: 'a2', startedAt: at(3), executionCount: 2 });
  await storedStep(db, { sessionId, number: 3, code: 'b1', startedAt: at(5), contextId: 'node', executionCount: 1 });
  await storedStep(db, { sessionId, number: 4, code: 'a3', startedAt: at(1), contextEpoch: 2, executionCount: 1 });
  await storedStep(db, { sessionId, number: 5, code: 'b2', startedAt: at(10), contextId: 'node', executionCount: 2 });
  const found = await listSucceededSteps(db, { sessionId, epoch: 1 });
  expect(await codeOf(found)).toEqual(['b1', 'a1', 'a2', 'a3', 'b2']);
});

test('only the latest code is listed if there is too much of it', async () => {
  const { id: sessionId } = await activeSession(db);
  const code = 'x'.repeat(2 * mebibyte);
  for (let number = 1; number <= 10; number++) {
    await storedStep(db, { sessionId, number, code, startedAt: new Date(number) });
  }
  const counts = (await listSucceededSteps(db, { sessionId, epoch: 1 })).map(({ executionCount }) => executionCount);
  expect(counts).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
});
