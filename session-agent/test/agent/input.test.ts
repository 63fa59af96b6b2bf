import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, readTo, report } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  await agent.run({ code: '1' });
});
afterAll(() => agent[Symbol.asyncDispose]());

const give = (stepId: string, text: string | null) => agent.call('POST', `/v1/steps/${stepId}/stdin`, { text });
const waiting = async (stepId: string) => (await agent.call('GET', `/v1/steps/${stepId}/stdin`)).body.request;

test('reports a request for input, waits, and continues with the given line', async () => {
  const { stepId, frames } = await agent.open({ code: 'input("name? ")', stdin: true });
  expect((await readTo(frames, 'input_request')).json).toEqual({ prompt: 'name? ', password: false });
  expect(await waiting(stepId)).toEqual({ prompt: 'name? ', password: false });
  expect((await give(stepId, 'Ada 😀')).status).toBe(204);
  expect(await waiting(stepId)).toBe(null);
  expect(report(stepId, await all(frames))).toMatchObject({ value: "'Ada 😀'", done: { status: 'succeeded' } });
});

test('reports that a password is requested', async () => {
  const { stepId, frames } = await agent.open({ code: 'import getpass; len(getpass.getpass("key: "))', stdin: true });
  expect((await readTo(frames, 'input_request')).json).toEqual({ prompt: 'key: ', password: true });
  await give(stepId, 'secret');
  expect(report(stepId, await all(frames)).value).toBe('6');
});

test('reads lines that come before their requests in order, also those for a queued step', async () => {
  const first = await agent.open({ code: 'input()', stdin: true });
  const { stepId, frames } = await agent.open({ code: '[input(), input(), input()]', stdin: true });
  for (const line of ['one', '', 'three']) expect((await give(stepId, line)).status).toBe(204);
  await give(first.stepId, 'go on');
  await all(first.frames);
  const { value, frames: seen } = report(stepId, await all(frames));
  expect(value).toBe("['one', '', 'three']");
  expect(seen.some(({ type }) => type === 'input_request')).toBe(false);
});

test('gives the end of input to every later read', async () => {
  const code = 'ends = 0\nfor _ in range(3):\n  try: input()\n  except EOFError: ends += 1\nends';
  const { stepId, frames } = await agent.open({ code, stdin: true });
  await readTo(frames, 'input_request');
  expect((await give(stepId, null)).status).toBe(204);
  expect(report(stepId, await all(frames)).value).toBe('3');
});

test('rejects input for a step that accepts none, has ended or is unknown', async () => {
  const deaf = await agent.open({ code: 'import time; time.sleep(30)' });
  await readTo(deaf.frames, 'started');
  expect(await give(deaf.stepId, 'x')).toMatchObject({ status: 409, body: { code: 'stdin-closed' } });
  await agent.call('POST', `/v1/steps/${deaf.stepId}/interrupt`);
  await all(deaf.frames);
  const ended = await agent.run({ code: '1', stdin: true });
  expect(await give(ended.stepId, 'x')).toMatchObject({ status: 409, body: { code: 'stdin-closed' } });
  await agent.call('POST', '/v1/acks', { stepIds: [ended.stepId] });
  expect((await give(ended.stepId, 'x')).status).toBe(409);
  expect((await give(newId('stp'), 'x')).status).toBe(404);
  expect((await agent.call('POST', `/v1/steps/${ended.stepId}/stdin`, { line: 'x' })).status).toBe(400);
});

test('fails at once if code asks for input without permission, and says how to allow it', async () => {
  const { done, frames } = await agent.run({ code: 'input("name? ")' });
  expect(done.status).toBe('failed');
  const error = frames.find(({ type }) => type === 'error');
  expect(error?.json.message).toContain('stdin');
});

test('rejects unread input beyond a mebibyte', async () => {
  const { stepId, frames } = await agent.open({ code: 'import time; time.sleep(30)', stdin: true });
  const half = 'x'.repeat(600_000);
  expect([(await give(stepId, half)).status, (await give(stepId, half)).status]).toEqual([204, 413]);
  await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
  await all(frames);
});

test('interrupts and times out a step that waits for input, without losing its state', async () => {
  await agent.run({ code: 'kept = 1' });
  const asking = await agent.open({ code: 'input()', stdin: true });
  await readTo(asking.frames, 'input_request');
  await agent.call('POST', `/v1/steps/${asking.stepId}/interrupt`);
  expect(report(asking.stepId, await all(asking.frames)).done).toMatchObject({
    status: 'interrupted',
    stateSurvived: true,
  });
  const late = await agent.run({ code: 'input()', stdin: true, timeoutMs: 300 });
  expect(late.done).toMatchObject({ status: 'timed_out', stateSurvived: true });
  expect((await agent.run({ code: 'kept' })).value).toBe('1');
});

test('sets the variables of a step for that step alone, also after an error', async () => {
  await agent.run({ code: 'import os; os.environ["BOTH"] = "old"' });
  const env = { BOTH: 'new', ONLY: 'here' };
  const shown = await agent.run({
    code: 'import subprocess\n[os.environ["BOTH"], subprocess.getoutput("echo $ONLY")]',
    env,
  });
  expect(shown.value).toBe("['new', 'here']");
  expect((await agent.run({ code: '1 / 0', env })).done.status).toBe('failed');
  expect((await agent.run({ code: '[os.environ["BOTH"], os.environ.get("ONLY")]' })).value).toBe("['old', None]");
});
