import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { livingPods, type Pod, sandboxPods } from '../cluster/pods.ts';
import { sandboxOf } from '../cluster/sandbox-of.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

test("a session's first Python and Node steps work through the Service", async () => {
  const { id } = await holdfast.createSession();
  const python = await holdfast.runStep(id, {
    code: 'import numpy, pandas\nprint("hello"); int(numpy.arange(4).sum()) * 7',
  });
  const node = await holdfast.runStep(id, {
    language: 'node',
    code: 'const n: number = await Promise.resolve(41); n + 1',
  });
  expect(python).toMatchObject({ status: 'succeeded', stdout: 'hello\n', results: [{ data: { 'text/plain': '42' } }] });
  expect(node).toMatchObject({ status: 'succeeded', results: [{ data: { 'text/plain': '42' } }] });
  await holdfast.deleteSession(id);
});

test('each session has a pod of its own, in which nothing runs once the session is deleted', async () => {
  const before = await running();
  const sessions = await Promise.all([1, 2, 3].map(() => holdfast.createSession()));
  const named = await Promise.all(sessions.map(({ id }) => sandboxOf(holdfast, id)));
  const uids = (pods: Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();
  expect(new Set(uids(named)).size).toBe(3);
  expect(uids(await running())).toEqual(uids([...before, ...named]));

  await Promise.all(sessions.map(({ id }) => holdfast.deleteSession(id)));
  expect(uids(await running())).toEqual(uids(before));
  await eventually(async () => expect(uids(await livingPods())).toEqual(uids(before)), 60_000);
});

/** The pods whose processes run. The cluster shows others for a while after their processes have ended. */
const running = async () => (await sandboxPods()).filter(({ status }) => status.phase === 'Running');

test('no answer says that agents are not authenticated, and a caller without a key is refused', async () => {
  const ready = await holdfast.request('GET', '/readyz');
  expect(ready.body).toMatchObject({ ready: true, agentAuthBypassed: false });
  expect(ready.headers.get('holdfast-insecure')).toBeNull();
  const stranger = await fetch(`${holdfast.url}/v1/sessions`);
  expect(stranger.status).toBe(401);
});
