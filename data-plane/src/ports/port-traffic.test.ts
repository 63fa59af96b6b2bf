import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createPortTraffic } from './port-traffic.ts';

test.each([
  ['finds no session in this epoch', async () => []],
  ['fails', () => Promise.reject(new Error('the database is gone'))],
])('a statement that %s is not made again for the next bytes', async (_, returning) => {
  const update = vi.fn(() => ({ set: () => ({ where: () => ({ returning }) }) }));
  const traffic = createPortTraffic({ db: { orm: { update } } as never, background: () => {} });
  for (let chunk = 0; chunk < 3; chunk++) {
    traffic.touch({ sessionId: 'ses_1', epoch: 1 });
    await setImmediate();
  }
  expect(update).toHaveBeenCalledOnce();
  // The sandbox of a resumed session has visitors of its own.
  traffic.touch({ sessionId: 'ses_1', epoch: 2 });
  expect(update).toHaveBeenCalledTimes(2);
  await setImmediate();
});
