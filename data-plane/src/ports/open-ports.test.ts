import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOpenPorts } from './open-ports.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a slow database has two queries under way, and the next one reads all names that have come meanwhile', async () => {
  const queries: PromiseWithResolvers<never[]>[] = [];
  const where = () => {
    const query = Promise.withResolvers<never[]>();
    queries.push(query);
    return query.promise;
  };
  const orm = { select: () => ({ from: () => ({ innerJoin: () => ({ where }) }) }) };
  const openPorts = createOpenPorts({ db: { orm } as never });
  const found: Promise<unknown>[] = [];
  for (const port of [1, 2, 3, 4]) {
    found.push(openPorts.findAnew({ sessionId: 'ses_1', port }));
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(queries).toHaveLength(2);
  queries[0]?.resolve([]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(queries).toHaveLength(3);
  for (const { resolve } of queries) resolve([]);
  expect(await Promise.all(found)).toEqual([[], [], [], []]);
});
