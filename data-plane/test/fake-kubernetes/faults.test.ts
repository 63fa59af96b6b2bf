import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { apiClient, podManifest } from './api-client.ts';
import { idleContainer } from './kubelet/start-container.ts';
import { type FakeKubernetes, startFakeKubernetes } from './start-fake-kubernetes.ts';

let fake: FakeKubernetes;
let api: ReturnType<typeof apiClient>;
const create = (name: string) => api.call('POST', '/pods', { body: podManifest(name) });
const list = () => api.call('GET', '/pods');

beforeEach(async () => {
  fake = await startFakeKubernetes({ startContainer: idleContainer, bookmarkMs: 20 });
  api = apiClient(fake);
});
afterEach(async () => {
  api.close();
  await fake.close();
});

test('refuses as many requests as it is armed for, and only matching ones', async () => {
  fake.faults.arm('refuse', { status: 429, retryAfterSeconds: 2, verb: 'create', times: 2 });
  expect(await list()).toMatchObject({ status: 200 });
  for (const _ of [1, 2]) {
    const refused = await create('a');
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '2' },
      body: { reason: 'TooManyRequests', details: { retryAfterSeconds: 2 } },
    });
  }
  expect(await create('a')).toMatchObject({ status: 201 });
  expect(fake.faults.happened('refuse')).toBe(2);
});

test('a server that is down refuses and drops connections, and later serves at the same address', async () => {
  await list();
  const watching = await api.watch('/pods?watch=1');
  await fake.server.down();
  expect(await watching.ended).toBe('reset');
  expect(fake.server.connections.open).toBe(0);
  await expect(list()).rejects.toThrow('ECONNREFUSED');
  await fake.server.up();
  expect(await list()).toMatchObject({ status: 200 });
});

test('applies a request whose answer is lost, but not one whose connection is reset', async () => {
  fake.faults.arm('reset', { verb: 'create' });
  fake.faults.arm('loseAnswer', { verb: 'create' });
  await expect(create('a')).rejects.toThrow();
  expect(fake.pods.find('a')).toBeUndefined();
  await expect(create('a')).rejects.toThrow();
  expect(fake.pods.find('a')).toBeDefined();
  expect([fake.faults.happened('reset'), fake.faults.happened('loseAnswer')]).toEqual([1, 1]);
});

test('delays a list, and expires it between its pages', async () => {
  for (const name of ['a', 'b']) await create(name);
  fake.faults.arm('delay', { ms: 100, verb: 'list' });
  fake.faults.arm('expireContinue', {});
  const before = performance.now();
  const first = await api.call('GET', '/pods?limit=1');
  expect(performance.now() - before).toBeGreaterThan(95);
  const next = `/pods?limit=1&continue=${first.body.metadata.continue}`;
  expect(await api.call('GET', next)).toMatchObject({ status: 410 });
  expect(fake.faults.happened('expireContinue')).toBe(1);
});

test('drops a watch event, sends one twice, and cuts one off in its line', async () => {
  const watching = await api.watch('/pods?watch=1');
  fake.faults.arm('dropEvent', { resource: 'pods' });
  await create('a');
  await eventually(() => expect(fake.pods.find('a')?.status.phase).toBe('Running'));
  await eventually(() => expect(watching.events().length).toBeGreaterThan(0));
  expect(watching.events().map(({ type }) => type)).not.toContain('ADDED');
  fake.faults.arm('duplicateEvent', { resource: 'pods' });
  fake.operator.crash('a');
  await eventually(() => expect(watching.lines().at(-1)).toBe(watching.lines().at(-2)));
  fake.faults.arm('truncateEvent', { resource: 'pods' });
  await create('b');
  expect(await watching.ended).toBe('end');
  expect(() => watching.events()).toThrow(SyntaxError);
  const counts = (['dropEvent', 'duplicateEvent', 'truncateEvent'] as const).map(fake.faults.happened);
  expect(counts).toEqual([1, 1, 1]);
});

test('a stalled watch stays connected and sends nothing, not even a bookmark', async () => {
  const watching = await api.watch('/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=1');
  await eventually(() => expect(watching.events()).not.toEqual([]));
  expect(fake.watches.stall()).toBe(1);
  fake.faults.arm('stallWatch', {});
  const stalledAtOnce = await api.watch('/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=1');
  const probe = await api.watch('/pods?watch=1&timeoutSeconds=2');
  const seen = watching.lines().length;
  await create('a');
  expect(await probe.ended).toBe('end');
  expect(probe.events()).not.toEqual([]);
  expect([watching.lines().length, stalledAtOnce.lines().length]).toEqual([seen, 0]);
  await eventually(() => expect(fake.watches.open).toBe(2));
  expect(fake.faults.happened('stallWatch')).toBe(1);
});

test('cuts and expires open watches', async () => {
  const cut = await api.watch('/pods?watch=1');
  expect(fake.watches.cut()).toBe(1);
  expect(await cut.ended).toBe('reset');
  const expired = await api.watch('/pods?watch=1');
  await eventually(() => expect(fake.watches.open).toBe(1));
  expect(fake.watches.expire()).toBe(1);
  expect(await expired.ended).toBe('end');
  expect(expired.events().at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
});
