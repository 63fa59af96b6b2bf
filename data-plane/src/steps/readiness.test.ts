import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../registry/connect.ts';
import { readiness } from './readiness.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const asked = (answer: Promise<unknown>) =>
  readiness({
    db: { sql: () => answer } as unknown as Database,
    recorder: { healthy: true },
    isDraining: () => false,
    agentAuthBypassed: false,
  });

test('the replica is not ready if the database has not answered within 2 s', async () => {
  const answered = asked(new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(2000);
  expect(await answered).toMatchObject({ ready: false, checks: { database: 'does not answer', history: 'ok' } });
});

test('the replica is ready if the database answers, not ready if it refuses, and no timer is left', async () => {
  expect(await asked(Promise.resolve())).toMatchObject({ ready: true, checks: { database: 'ok' } });
  const refused = await asked(Promise.reject(new Error('refused')));
  expect(refused).toMatchObject({ ready: false, checks: { database: 'cannot be reached' } });
  expect(vi.getTimerCount()).toBe(0);
});
