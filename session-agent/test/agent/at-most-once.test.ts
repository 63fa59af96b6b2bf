import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, report } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_UNACKNOWLEDGED_BYTES_MAX: String(1024 * 1024) });
});
afterAll(() => agent[Symbol.asyncDispose]());

const step = (code: string, stepId = newId('stp')) => ({
  stepId,
  contextId: 'python',
  code,
  timeoutMs: 10_000,
  queue: 'wait' as const,
});

test('runs exactly one of many requests with the same id, also after it was acknowledged', async () => {
  await agent.run({ code: 'runs = 0' });
  const once = step('runs += 1');
  const answers = await Promise.all(Array.from({ length: 20 }, () => agent.send('POST', '/v1/steps', once)));
  const statuses = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()] as const));
  expect(statuses.map(([status]) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
  await agent.call('POST', '/v1/acks', { stepIds: [once.stepId] });
  expect(await agent.call('POST', '/v1/steps', once)).toMatchObject({ status: 409, body: { code: 'step-repeated' } });
  expect((await agent.run({ code: 'runs' })).value).toBe('1');
});

test('gives each follower exactly the frames of the first reader', async () => {
  const code = 'import sys\nfor i in range(50): print(i, flush=True)\nprint("e", file=sys.stderr)\n1';
  const first = await agent.run(step(code));
  const second = await all(await agent.attach(first.stepId));
  const third = await all(await agent.attach(first.stepId, 3));
  expect(second).toEqual(first.frames);
  expect(third).toEqual(first.frames.slice(3));
  expect(await all(await agent.attach(first.stepId, first.frames.length))).toEqual([]);
});

test('gives a follower of a running step its earlier and later frames', async () => {
  const running = await agent.open(step('import time\nfor i in range(3): print(i, flush=True); time.sleep(0.1)'));
  await running.frames.next();
  const [attached, own] = await Promise.all([all(await agent.attach(running.stepId)), all(running.frames)]);
  expect(attached.slice(1)).toEqual(own);
  expect(report(running.stepId, attached).stdout).toBe('0\n1\n2\n');
});

test('accepts a step that was asked for before it came', async () => {
  const late = step('"late"');
  const asked = await agent.call('POST', `/v1/steps/${late.stepId}/attach`, { after: 0 });
  expect(asked).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect((await agent.run(late)).value).toBe("'late'");
});

test('uses up an id that another replica asked for before its step came', async () => {
  const late = step('late = 1');
  const asked = await agent.call('POST', `/v1/steps/${late.stepId}/attach`, { after: 0, burn: true });
  expect(asked).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect(await agent.call('POST', '/v1/steps', late)).toMatchObject({ status: 409, body: { code: 'step-repeated' } });
  const again = await agent.call('POST', `/v1/steps/${late.stepId}/attach`, { after: 0, burn: true });
  expect(again).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect((await agent.run({ code: '"late" in globals()' })).value).toBe('False');
});

test('stores results until they are acknowledged, and starts no step beyond the limit', async () => {
  const { stepId } = await agent.run(step('print("x" * 2_000_000)'));
  const refused = await agent.call('POST', '/v1/steps', step('1'));
  expect(refused).toMatchObject({ status: 503, body: { code: 'results-unacknowledged' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  const { steps } = (await agent.call('GET', '/v1/steps')).body;
  expect(steps).toContainEqual({ stepId, state: 'finished' });

  const acks = steps.map((kept: { stepId: string }) => kept.stepId);
  expect((await agent.run({ ...step('2'), acks })).value).toBe('2');
  expect((await agent.call('GET', '/v1/steps')).body.steps).toHaveLength(1);
  expect(await agent.call('POST', `/v1/steps/${stepId}/attach`, { after: 0 })).toMatchObject({ status: 409 });
});

test('ignores an acknowledgement of a running step', async () => {
  const running = await agent.open(step('import time; time.sleep(0.2); 3'));
  await running.frames.next();
  await agent.call('POST', '/v1/acks', { stepIds: [running.stepId, newId('stp')] });
  await all(running.frames);
  expect(report(running.stepId, await all(await agent.attach(running.stepId))).value).toBe('3');
});
