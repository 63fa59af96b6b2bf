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

test('a step that asks for input says so, waits, and goes on with the line it is given', async () => {
  const { stepId, frames } = await agent.open({ code: 'input("name? ")', stdin: true });
  expect((await readTo(frames, 'input_request')).json).toEqual({ prompt: 'name? ', password: false });
  expect(await waiting(stepId)).toEqual({ prompt: 'name? ', password: false });
  expect((await give(stepId, 'Ada 😀')).status).toBe(204);
  expect(await waiting(stepId)).toBe(null);
  expect(report(stepId, await all(frames))).toMatchObject({ value: "'Ada 😀'", done: { status: 'succeeded' } });
});

test('a password is asked for as one', async () => {
  const { stepId, frames } = await agent.open({ code: 'import getpass; len(getpass.getpass("key: "))', stdin: true });
  expect((await readTo(frames, 'input_request')).json).toEqual({ prompt: 'key: ', password: true });
  await give(stepId, 'secret');
  expect(report(stepId, await all(frames)).value).toBe('6');
});

test('lines that come before they are asked for are read in order, also while the step waits for its turn', async () => {
  const first = await agent.open({ code: 'import time; time.sleep(0.2)' });
  const { stepId, frames } = await agent.open({ code: '[input(), input(), input()]', stdin: true });
  for (const line of ['one', '', 'three']) expect((await give(stepId, line)).status).toBe(204);
  await all(first.frames);
  const { value, frames: seen } = report(stepId, await all(frames));
  expect(value).toBe("['one', '', 'three']");
  expect(seen.some(({ type }) => type === 'input_request')).toBe(false);
});

test('the end of input is met by every later read', async () => {
  const code = 'ends = 0\nfor _ in range(3):\n  try: input()\n  except EOFError: ends += 1\nends';
  const { stepId, frames } = await agent.open({ code, stdin: true });
  await readTo(frames, 'input_request');
  expect((await give(stepId, null)).status).toBe(204);
  expect(report(stepId, await all(frames)).value).toBe('3');
});

test('a step that takes no input, has ended or is unknown refuses it', async () => {
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

test('asking where it is not allowed fails at once and says how to allow it', async () => {
  const { done, frames } = await agent.run({ code: 'input("name? ")' });
  expect(done.status).toBe('failed');
  const error = frames.find(({ type }) => type === 'error');
  expect(error?.json.message).toContain('stdin');
});

test('more input than is read is refused beyond a mebibyte', async () => {
  const { stepId, frames } = await agent.open({ code: 'import time; time.sleep(30)', stdin: true });
  const half = 'x'.repeat(600_000);
  expect([(await give(stepId, half)).status, (await give(stepId, half)).status]).toEqual([204, 413]);
  await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
  await all(frames);
});

test('a step that waits for input is interrupted, and times out, with its state kept', async () => {
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

test('variables of a step are there for it alone, also after an error', async () => {
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
