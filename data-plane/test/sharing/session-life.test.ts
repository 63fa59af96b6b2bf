import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killSandbox } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { type Watcher, watchSession } from './watch-session.ts';

let installation: Installation;
let proxy: PostgresProxy;
let holdfast: Holdfast;
beforeAll(async () => {
  installation = await createInstallation();
  proxy = await startPostgresProxy(installation.database);
  holdfast = await installation.start({ DATABASE_URL: proxy.url });
}, 60_000);
afterAll(async () => {
  proxy.thaw();
  await installation[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

const post = (id: string, verb: string) => holdfast.request('POST', `/v1/sessions/${id}/${verb}`);
const statusesIn = (watcher: Watcher) =>
  watcher.seen.flatMap(({ data }) => (data.arguments as { status?: string } | undefined)?.status ?? []);
const finished = (watcher: Watcher) =>
  watcher.seen.filter(({ type }) => type === 'finished').map(({ stepId }) => stepId);

async function activeInEpoch(id: string, epoch: number): Promise<void> {
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    const session: Session = (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
    expect(session).toMatchObject({ status: 'active', epoch });
  }, 30_000);
}

test('one stream goes through a pause, a lost sandbox and the end of its session', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  const watcher = watchSession(id);
  watcher.connect(holdfast.url);
  const steps = [await holdfast.runStep(id, { code: 'x = 1' })];
  expect((await post(id, 'pause')).status).toBe(200);
  expect((await post(id, 'resume')).status).toBe(200);
  steps.push(await holdfast.runStep(id, { code: 'x' }));
  await killSandbox(holdfast, id);
  await activeInEpoch(id, 3);
  steps.push(await holdfast.runStep(id, { code: '1' }));
  expect((await post(id, 'abort')).status).toBe(200);
  expect(await watcher.over).toBe('ended');
  expect(finished(watcher)).toEqual((await holdfast.history(id)).map((step) => step.id));
  for (const step of steps) expect(finished(watcher)).toContain(step.id);
  const statuses = ['creating', 'active', 'pausing', 'paused', 'resuming', 'active', 'recovering', 'active', 'aborted'];
  expect(statusesIn(watcher).filter((status, n, all) => status !== all[n - 1])).toEqual(statuses);
  expect(watcher.seen.filter(({ type }) => type === 'finished').map(({ data }) => data.step)).toMatchObject(
    (await holdfast.history(id)).map(({ epoch, status }) => ({ epoch, status })),
  );
}, 120_000);

test('a stream ends when its session is deleted', async () => {
  const { id } = await holdfast.createSession();
  const step = await holdfast.runStep(id, { code: '1' });
  const watcher = watchSession(id);
  watcher.connect(holdfast.url);
  await watcher.has(step.id, 'finished');
  await holdfast.deleteSession(id);
  expect(await watcher.over).toBe('ended');
  watcher.connect(holdfast.url);
  await watcher.over;
  expect(watcher.status).toBe(410);
}, 60_000);

test('a stream outlives a database that is silent, and misses nothing', async () => {
  const { id } = await holdfast.createSession();
  const first = await holdfast.runStep(id, { code: '1' });
  const watcher = watchSession(id);
  watcher.connect(holdfast.url);
  await watcher.has(first.id, 'finished');
  const events = holdfast.streamStep(id, {
    code: 'import time\nfor i in range(60): print(i, flush=True); time.sleep(0.1)',
  });
  const { value } = await events.next();
  await watcher.has(value.stepId, 'stdout');
  proxy.freeze();
  await eventually(async () => expect((await fetch(`${holdfast.url}/readyz`)).status).toBe(503), 20_000);
  proxy.thaw();
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  expect(types.at(-1)).toBe('finished');
  const last = await eventually(() => holdfast.runStep(id, { code: '2' }), 20_000);
  await watcher.has(last.id, 'finished');
  expect(finished(watcher)).toEqual([first.id, value.stepId, last.id]);
  const seqs = watcher.seen
    .filter(({ stepId, type }) => stepId === value.stepId && type !== 'session')
    .map(({ seq }) => seq);
  expect(seqs.length).toBeGreaterThan(60);
  expect(seqs).toEqual(seqs.toSorted((one, other) => Number(one) - Number(other)));
  expect(new Set(seqs).size).toBe(seqs.length);
  await post(id, 'complete');
  expect(await watcher.over).toBe('ended');
}, 120_000);
