import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { apiClient, podManifest } from '../api-client.ts';
import { idleContainer } from '../kubelet/start-container.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../start-fake-kubernetes.ts';

let fake: FakeKubernetes;
let api: ReturnType<typeof apiClient>;
const create = (name: string) => api.call('POST', '/pods', { body: podManifest(name) });
const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name);
const running = (name: string) => eventually(() => expect(fake.pods.find(name)?.status.phase).toBe('Running'));

beforeEach(async () => {
  fake = await startFakeKubernetes({
    startContainer: idleContainer,
    admission: { runtimeClasses: ['sealed'], podsMax: 5 },
  });
  api = apiClient(fake);
});
afterEach(async () => {
  api.close();
  await fake.close();
});

test('creates a pod once, and answers a second creation with a conflict', async () => {
  const first = await create('a');
  expect(first).toMatchObject({ status: 201, body: { kind: 'Pod', metadata: { name: 'a' } } });
  expect(await create('a')).toMatchObject({
    status: 409,
    body: { kind: 'Status', reason: 'AlreadyExists', code: 409, details: { name: 'a', kind: 'pods' } },
  });
  expect((await api.call('GET', '/pods/a')).body.metadata.uid).toBe(first.body.metadata.uid);
  expect(fake.server.requests).toMatchObject({ 'create pods': 2, 'get pods': 1 });
});

test('a dry run checks everything and creates nothing', async () => {
  const dry = (spec: object) => api.call('POST', '/pods?dryRun=All', { body: podManifest('a', spec) });
  expect(await dry({ runtimeClassName: 'sealed' })).toMatchObject({ status: 201 });
  expect(await dry({ runtimeClassName: 'absent' })).toMatchObject({
    status: 403,
    body: { reason: 'Forbidden', message: 'pods "a" is forbidden: pod rejected: RuntimeClass "absent" not found' },
  });
  expect(await dry({ containers: [] })).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  expect((await api.call('GET', '/pods')).body.items).toEqual([]);
});

test('forbids verbs outside the Role, and answers 401 to a wrong token and 403 to a full quota', async () => {
  expect(await api.call('PATCH', '/pods/a', { body: {} })).toMatchObject({ status: 403 });
  expect(await api.call('GET', '/pods/a/log')).toMatchObject({ status: 403 });
  expect(await api.call('GET', '/pods', { bearer: 'other' })).toMatchObject({
    status: 401,
    body: { reason: 'Unauthorized' },
  });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
  expect(await create('f')).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('exceeded quota') },
  });
});

test('a list selects by label and comes in pages of one version', async () => {
  for (const name of ['a', 'b', 'c']) await create(name);
  expect(names((await api.call('GET', '/pods?labelSelector=app%3Dagent')).body)).toEqual(['a', 'b', 'c']);
  expect(names((await api.call('GET', '/pods?labelSelector=app%3Dother')).body)).toEqual([]);
  const first = (await api.call('GET', '/pods?limit=2')).body;
  await create('d');
  const second = (await api.call('GET', `/pods?limit=2&continue=${first.metadata.continue}`)).body;
  expect([names(first), names(second)]).toEqual([['a', 'b'], ['c']]);
  expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  fake.compact();
  expect(await api.call('GET', `/pods?limit=2&continue=${first.metadata.continue}`)).toMatchObject({
    status: 410,
    body: { reason: 'Expired', metadata: { continue: expect.any(String) } },
  });
});

test('a watch starts at the version of a list, sends bookmarks, and ends after its time', async () => {
  await create('a');
  await running('a');
  const { resourceVersion } = (await api.call('GET', '/pods')).body.metadata;
  const query = `watch=1&resourceVersion=${resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=1`;
  const watching = await api.watch(`/pods?${query}`);
  await create('b');
  await running('b');
  expect(await watching.ended).toBe('end');
  const events = watching.events();
  const ofB = events.filter(({ object }) => object.metadata.name === 'b').map(({ type }) => type);
  expect(events.every(({ object }) => object.kind === 'Pod' && object.metadata.name !== 'a')).toBe(true);
  expect([ofB[0], new Set(ofB.slice(1))]).toEqual(['ADDED', new Set(['MODIFIED'])]);
  expect(events.at(-1)).toMatchObject({ type: 'BOOKMARK' });
});

test('a watch from a dropped version ends with an error of code 410', async () => {
  const { resourceVersion } = (await api.call('GET', '/pods')).body.metadata;
  await create('a');
  fake.compact();
  const watching = await api.watch(`/pods?watch=1&resourceVersion=${resourceVersion}`);
  expect(await watching.ended).toBe('end');
  expect(watching.events()).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410 } }]);
});

test('a delete names an incarnation, and the object is removed when its container has ended', async () => {
  await create('a');
  await running('a');
  const { uid } = fake.pods.find('a')?.metadata ?? {};
  const watching = await api.watch('/pods?watch=1');
  const wrong = { preconditions: { uid: 'other' } };
  expect(await api.call('DELETE', '/pods/a', { body: wrong })).toMatchObject({
    status: 409,
    body: { reason: 'Conflict' },
  });
  const right = { gracePeriodSeconds: 3, preconditions: { uid } };
  expect(await api.call('DELETE', '/pods/a', { body: right })).toMatchObject({
    status: 200,
    body: { metadata: { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 3 } },
  });
  await eventually(() => expect(watching.events().at(-1)?.type).toBe('DELETED'));
  const versions = watching.events().map(({ object }) => Number(object.metadata.resourceVersion));
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  expect(await api.call('DELETE', '/pods/a')).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
  watching.close();
});
