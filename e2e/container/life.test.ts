import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
beforeAll(async () => {
  on = await startOnEngine();
});
afterAll(() => on[Symbol.asyncDispose]());

const value = async (id: string, code: string) => {
  const step = await on.holdfast.runStep(id, { code });
  return step.results[0]?.data['text/plain'];
};
const containerOf = (id: string) => `holdfast.${id.replace('_', '-')}-1`;

test('a session preserves its state in both languages, and DELETE leaves nothing of it', async () => {
  const { id } = await on.holdfast.createSession();
  await value(id, 'x = 41');
  expect(await value(id, 'x + 1')).toBe('42');
  const step = await on.holdfast.runStep(id, {
    language: 'node',
    code: 'const n: number = await Promise.resolve(42); n',
  });
  expect(step).toMatchObject({ status: 'succeeded', results: [{ data: { 'text/plain': '42' } }] });
  await on.holdfast.deleteSession(id);
  expect(on.remains()).toEqual([]);
});

test('each profile has an image of its own, and a network that is not offered is refused by name', async () => {
  const { id } = await on.holdfast.createSession({ profile: 'node', language: 'node' });
  const step = await on.holdfast.runStep(id, { code: 'process.version' });
  expect(step.status).toBe('succeeded');
  await on.holdfast.request('DELETE', `/v1/sessions/${id}`);
  const refused = await on.holdfast.request('POST', '/v1/sessions', { network: 'internet' });
  expect(refused).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('network "internet"') },
  });
});

test.each(['stop', 'kill'] as const)('sandboxes and their state survive a %s of the data-plane', async (how) => {
  const { id } = await on.holdfast.createSession();
  await value(id, 'x = 1');
  await on.restart(how);
  expect(await value(id, 'x + 1')).toBe('2');
  await on.engine.restart();
  expect(await value(id, 'x + 2')).toBe('3');
  await on.holdfast.deleteSession(id);
});

test('the removal of a sandbox by an operator fails its session with that cause and leaves nothing', async () => {
  const { id } = await on.holdfast.createSession();
  on.engine.podman('rm', '--force', '--time', '0', containerOf(id));
  await eventually(async () => {
    const { body } = await on.holdfast.request('GET', `/v1/sessions/${id}`);
    expect(body).toMatchObject({ status: 'failed', endReason: 'deleted_by_operator' });
  }, 30_000);
  await on.holdfast.request('DELETE', `/v1/sessions/${id}`);
});
