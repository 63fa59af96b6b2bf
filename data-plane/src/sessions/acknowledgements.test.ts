import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAcknowledgements } from './acknowledgements.ts';
import type { Route } from './sandbox-routes.ts';

const route = { sandboxUid: 'uid' } as Route;
const ids = ['stp_1', 'stp_2', 'stp_3'];

/** `calls` has the ids of each call of its own, `called` resolves with the next one. */
function start() {
  const calls: unknown[] = [];
  let next = Promise.withResolvers<void>();
  const call = async (_: unknown, { body }: { body?: object }) => {
    calls.push(body);
    next.resolve();
    next = Promise.withResolvers();
    return undefined as never;
  };
  return {
    ...createAcknowledgements({ agents: { call }, of: 'steps' }),
    calls,
    called: () => next.promise,
  };
}

test('ids that no request carries are sent together by one call', async () => {
  const { add, called, calls } = start();
  for (const id of ids) add(route, id);
  await called();
  expect(calls).toEqual([{ stepIds: ids }]);
});

test('ids that came after a request had carried others wait for their own time', async () => {
  const { add, take, called, calls } = start();
  add(route, 'stp_1');
  await delay(150);
  expect(take('uid')).toEqual(['stp_1']);
  const addedAtMs = performance.now();
  add(route, 'stp_2');
  await called();
  expect(calls).toEqual([{ stepIds: ['stp_2'] }]);
  expect(performance.now() - addedAtMs).toBeGreaterThan(150);
});

test('nothing is sent if requests have carried all ids, and later ids are', async () => {
  const { add, take, called, calls } = start();
  add(route, ...ids);
  expect(take('uid')).toEqual(ids);
  expect(take('uid')).toEqual([]);
  await delay(250);
  expect(calls).toEqual([]);
  add(route, 'stp_4');
  await called();
  expect(calls).toEqual([{ stepIds: ['stp_4'] }]);
});

test('more ids than one call carries are sent by several', async () => {
  const { add, called, calls } = start();
  const many = Array.from({ length: 1001 }, (_, i) => `stp_${i}`);
  add(route, ...many);
  await called();
  await called();
  expect(calls).toEqual([{ stepIds: many.slice(0, 1000) }, { stepIds: many.slice(1000) }]);
});
