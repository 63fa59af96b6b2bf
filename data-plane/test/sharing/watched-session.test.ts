import { type Step, sessionEventSchema } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { openStream } from '../http/open-stream.ts';
import { eventually } from '../support/eventually.ts';
import { startOnKubernetes } from '../support/start-on-kubernetes.ts';
import { bySteps, watchSession } from './watch-session.ts';

let fake: FakeKubernetes;
let holdfast: Awaited<ReturnType<typeof startOnKubernetes>>;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  holdfast = await startOnKubernetes(fake);
}, 60_000);
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]();
  await fake.close();
});

test('a reader gets the history, then what happens, and the stream ends with the session', async () => {
  const { id } = await holdfast.createSession();
  const first = await holdfast.runStep(id, { code: 'x = 1; print(x)', actorName: 'Ada', actor: 'user' });
  const watcher = watchSession(id);
  watcher.connect(holdfast.url);
  await watcher.has(first.id, 'finished');
  const second = await holdfast.runStep(id, { code: 'print("a" * 300_000); x' });
  await watcher.has(second.id, 'finished');
  expect((await holdfast.request('POST', `/v1/sessions/${id}/complete`)).status).toBe(200);
  expect(await watcher.over).toBe('ended');
  const steps = watcher.bySteps();
  for (const step of [first, second]) {
    const own: { data: Record<string, unknown> }[] = [];
    for await (const event of holdfast.followStep(id, step.id)) own.push({ data: event });
    expect(steps.get(step.id)).toEqual(bySteps(own).get(step.id));
  }
  expect(watcher.seen.find(({ stepId }) => stepId === first.id)?.data).toMatchObject({
    actor: 'user',
    actorName: 'Ada',
  });
  const statuses = watcher.seen.filter(({ type }) => type === 'session').map(({ data }) => data);
  expect(statuses.at(0)).toMatchObject({ operation: 'session.create', arguments: { status: 'creating' } });
  expect(statuses.at(-1)).toMatchObject({ operation: 'session.complete', arguments: { status: 'completed' } });
  expect(watcher.seen.map(({ data }) => sessionEventSchema.parse(data))).toEqual(watcher.seen.map(({ data }) => data));
  watcher.connect(holdfast.url);
  await watcher.over;
  expect(watcher.status).toBe(204);
}, 60_000);

test('a reader that takes nothing for a while gets every event of long steps once, and the last of them whole', async () => {
  const { id } = await holdfast.createSession();
  const stream = await openStream(`${holdfast.url}/v1/sessions/${id}/events`, {
    headers: { accept: 'application/x-ndjson' },
  });
  stream.pause();
  const steps: Step[] = [];
  for (let n = 0; n < 12; n++) {
    const code = 'for i in range(16): print("y" * 60_000, flush=True)';
    steps.push(await holdfast.runStep(id, { code }));
  }
  const written = stream.text.length;
  stream.resume();
  await holdfast.request('POST', `/v1/sessions/${id}/complete`);
  await eventually(() => expect(stream.ended).toBe(true), 60_000);
  expect(written).toBeLessThan(stream.text.length / 2);
  const events: Record<string, unknown>[] = stream.lines();
  const own = bySteps(events.map((data) => ({ data })));
  for (const step of steps) {
    const recorded: { data: Record<string, unknown> }[] = [];
    for await (const event of holdfast.followStep(id, step.id)) recorded.push({ data: event });
    expect(own.get(step.id)).toEqual(bySteps(recorded).get(step.id));
  }
}, 120_000);
