import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/eventually.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine({ HOLDFAST_AGENT_LEASE_SECONDS: '4' });
});
afterAll(() => on[Symbol.asyncDispose]());

test('a sandbox outlives no data-plane for longer than its lease, and the next data-plane removes what is left', async () => {
  const { id } = await on.holdfast.createSession();
  await on.holdfast.kill();
  const ended = () => on.engine.podman('ps', '--all', '--filter', 'status=exited', '--quiet');
  await eventually(() => expect(ended()).not.toBe(''), 20_000, 250);
  await on.restart('kill');
  await eventually(async () => {
    const { body } = await on.holdfast.request('GET', `/v1/sessions/${id}`);
    expect(body).toMatchObject({ status: 'failed', endReason: 'sandbox_exited' });
  }, 20_000);
  await eventually(() => expect(on.remains()).toEqual([]), 20_000, 250);
});
