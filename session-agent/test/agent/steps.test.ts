import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, report } from '../support/agent-client.ts';
import { residentBytes } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_STOP_GRACE_MS: '5000' });
  await Promise.all([agent.run({ code: '1' }), agent.run({ code: '1', contextId: 'node' })]);
});
afterAll(() => agent[Symbol.asyncDispose]());

const languages = [
  { contextId: 'python', assign: 'x = 41', loop: 'while True: pass', say: (text: string) => `print(${text})` },
  { contextId: 'node', assign: 'const x = 41', loop: 'while (true) {}', say: (text: string) => `console.log(${text})` },
];

describe.for(languages)('in $contextId', ({ contextId, assign, loop, say }) => {
  test('sees the names that earlier steps defined', async () => {
    expect((await agent.run({ contextId, code: assign })).done).toMatchObject({ status: 'succeeded', cause: null });
    const { value, done, frames } = await agent.run({ contextId, code: 'x + 1' });
    expect(value).toBe('42');
    expect(done.executionCount).toBe(3);
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index + 1));
    expect(frames.map(({ type }) => type)).toEqual(['started', 'result', 'done']);
  });

  test('ends fifty steps sent at once in order, each with its own output', async () => {
    const reports = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { stepId, frames } = await agent.open({ contextId, code: `${say(`'step ${index}'`)}` });
        return report(stepId, await all(frames));
      }),
    );
    expect(reports.map(({ stdout }) => stdout)).toEqual(reports.map((_, index) => `step ${index}\n`));
    const counts = reports.map(({ done }) => done.executionCount);
    expect(counts.toSorted((a, b) => a - b)).toEqual(counts.map((_, index) => index + Math.min(...counts)));
  });

  test('times out an endless loop, whose state survives for the next step', async () => {
    const { done } = await agent.run({ contextId, code: loop, timeoutMs: 300 });
    expect(done).toMatchObject({ status: 'timed_out', cause: { code: 'timeout' }, stateSurvived: true });
    expect(done.durationMs).toBeLessThan(2500);
    expect((await agent.run({ contextId, code: 'x' })).value).toBe('41');
  });

  test('lets a second client interrupt a step', async () => {
    const { stepId, frames } = await agent.open({ contextId, code: loop });
    expect((await frames.next()).value?.type).toBe('started');
    const { body } = await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
    expect(body).toEqual({ state: 'running' });
    expect(report(stepId, await all(frames)).done).toMatchObject({
      status: 'interrupted',
      cause: { code: 'interrupt' },
      stateSurvived: true,
    });
    expect((await agent.call('POST', `/v1/steps/${stepId}/interrupt`)).body).toEqual({ state: 'finished' });
  });
});

test('sends output while the code runs', async () => {
  const { frames } = await agent.open({ code: 'print("a", flush=True)\nimport time\ntime.sleep(0.5)\nprint("b")' });
  const arrivals = new Map<string, number>();
  for await (const { type, text } of frames) arrivals.set(type === 'stdout' ? text : type, performance.now());
  const between = (from: string, to: string) => (arrivals.get(to) ?? 0) - (arrivals.get(from) ?? 0);
  expect(between('a\n', 'b\n')).toBeGreaterThan(300);
});

test('interrupts a waiting step, which never starts', async () => {
  const running = await agent.open({ code: 'import time; time.sleep(30)' });
  await running.frames.next();
  const waiting = await agent.open({ code: 'ran = True' });
  expect((await waiting.frames.next()).value?.json).toEqual({ position: 1 });
  expect((await agent.call('POST', `/v1/steps/${waiting.stepId}/interrupt`)).body).toEqual({ state: 'queued' });
  const { done } = report(waiting.stepId, await all(waiting.frames));
  expect(done).toMatchObject({ status: 'interrupted', stateSurvived: true, executionCount: 0 });
  await agent.call('POST', `/v1/steps/${running.stepId}/interrupt`);
  await all(running.frames);
  expect((await agent.run({ code: '"ran" in globals()' })).value).toBe('False');
});

test('rejects a step that may not wait while the context is busy, and accepts it later', async () => {
  const running = await agent.open({ code: 'import time; time.sleep(30)' });
  await running.frames.next();
  const step = { stepId: newId('stp'), contextId: 'python', code: '7', timeoutMs: 1000, queue: 'reject' as const };
  expect(await agent.call('POST', '/v1/steps', step)).toMatchObject({ status: 409, body: { code: 'context-busy' } });
  await agent.call('POST', `/v1/steps/${running.stepId}/interrupt`);
  await all(running.frames);
  expect((await agent.run(step)).value).toBe('7');
});

test('rejects steps beyond the limit of the queue', async () => {
  const running = await agent.open({ code: 'import time; time.sleep(30)' });
  await running.frames.next();
  const waiting = await Promise.all(Array.from({ length: 256 }, () => agent.open({ code: '1' })));
  const refused = await agent.call('POST', '/v1/steps', {
    stepId: newId('stp'),
    contextId: 'python',
    code: '1',
    timeoutMs: 1000,
    queue: 'wait',
  });
  expect(refused).toMatchObject({ status: 429, body: { code: 'quota-exceeded' } });
  await agent.call('POST', `/v1/steps/${running.stepId}/interrupt`);
  const reports = await Promise.all(waiting.map(async ({ stepId, frames }) => report(stepId, await all(frames))));
  expect(reports.filter(({ done }) => done.status === 'succeeded')).toHaveLength(256);
});

test('rejects a step for another epoch', async () => {
  const step = {
    stepId: newId('stp'),
    contextId: 'python',
    code: '1',
    timeoutMs: 1000,
    queue: 'wait',
    ifContextEpoch: 9,
  };
  expect(await agent.call('POST', '/v1/steps', step)).toMatchObject({ status: 409, body: { code: 'state-reset' } });
});

test('cuts twenty megabytes of output to head and tail, and stays small', async () => {
  const code = 'import sys\nfor i in range(20): sys.stdout.write(chr(97 + i) * 1_000_000)\nprint("the end")';
  const before = residentBytes(agent.pid);
  const { stdout, frames, done } = await agent.run({ code });
  const cut = frames.find(({ type }) => type === 'truncated');
  expect(done.status).toBe('succeeded');
  expect(stdout.startsWith('a'.repeat(1_000_000))).toBe(true);
  expect(stdout.endsWith('t'.repeat(60_000).concat('the end\n'))).toBe(true);
  expect(stdout.length + Number(cut?.json.bytes)).toBe(20_000_008);
  expect(stdout.length).toBeLessThan(8 * 1024 * 1024 + 64 * 1024 + 1);
  expect(residentBytes(agent.pid) - before).toBeLessThan(60 * 1024 * 1024);
  await agent.call('POST', '/v1/acks', { stepIds: (await agent.call('GET', '/v1/steps')).body.steps.map(idOf) });
});

test('sends the text of a result whose HTML is too large', async () => {
  const { frames, value } = await agent.run({
    code: 'class Large:\n  def __repr__(self): return "large"\n  def _repr_html_(self): return "x" * 9_000_000\nLarge()',
  });
  expect(frames.map(({ type }) => type)).toEqual(['started', 'result', 'done']);
  expect(value).toBe('large');
});

test('replaces a result over eight megabytes by its size', async () => {
  const metadata = '{str(key): "x" * 60_000 for key in range(150)}';
  const { frames, done } = await agent.run({
    code: `class Large:\n  def _repr_mimebundle_(self, **_): return {}, ${metadata}\nLarge()`,
  });
  const types = frames.map(({ type }) => type);
  expect([types, done.status]).toEqual([['started', 'truncated', 'done'], 'succeeded']);
  expect(frames[1]?.json).toMatchObject({ stream: 'result' });
});

test('does not stop a step whose reader disconnects', async () => {
  const abort = new AbortController();
  const stepId = newId('stp');
  const body = { stepId, contextId: 'python', code: 'import time; time.sleep(0.3); 5', timeoutMs: 9000, queue: 'wait' };
  const headers = { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: abort.signal };
  await fetch(`${agent.url}/v1/steps`, request);
  abort.abort();
  const { value, done } = report(stepId, await all(await agent.attach(stepId)));
  expect([value, done.status]).toEqual(['5', 'succeeded']);
});

const idOf = ({ stepId }: { stepId: string }) => stepId;

test('needs no memory besides the log for a slow reader', async () => {
  const stepId = newId('stp');
  const body = { stepId, contextId: 'python', code: 'print("y" * 8_000_000)', timeoutMs: 9000, queue: 'wait' };
  const slow = await agent.send('POST', '/v1/steps', body);
  const state = async () =>
    (await agent.call('GET', '/v1/steps')).body.steps.find((s: typeof body) => s.stepId === stepId);
  await until('the step to end unread', async () => (await state())?.state === 'finished');
  expect((await slow.arrayBuffer()).byteLength).toBeGreaterThan(8_000_000);
});
