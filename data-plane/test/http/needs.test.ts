import { Problem, type Step, stepEventSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asJson, asRun } from './scripted-app.ts';
import { type ScriptedStep, scriptedStep } from './scripted-step.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const steps = `/v1/sessions/${sessionId}/steps`;
const run = { method: 'POST', body: '{"code":"input()","stdin":true}', headers: asJson };
const request = { prompt: 'Name: ', password: false };
const outcome = { tag: 'needs', what: 'stdin', ...request } as const;

/** A step that is what its client runs and follows; `needs` says what its agent would. */
async function servedStep(needs: () => Step | null | Promise<never>, script: Partial<Verbs> = {}) {
  const step = scriptedStep(sessionId);
  const asked: string[] = [];
  const served = await servedApp({
    runStep: async () => step,
    followStep: async () => step,
    findWaitingStep: async ({ live, after }) => {
      asked.push(after ?? live.id);
      return needs();
    },
    ...script,
  });
  const one = `${served.url}${steps}/${step.id}`;
  return { step, asked, ...served, one, waiting: () => fetch(`${one}?waitSeconds=30`, { headers: asRun }) };
}

const inNeed = (step: Pick<ScriptedStep, 'id'>) =>
  ({ id: step.id, status: 'running', finishedAt: null, outcome }) as Step;
const subscribed = (step: ScriptedStep) => eventually(() => expect(step.subscribers).toBe(1));

test('a step that asks for input is answered as it is, and does not hear that its client went away', async () => {
  const { step, url } = await servedStep(() => inNeed(step));
  let isGone = false;
  step.gone.then(() => {
    isGone = true;
  });
  const answer = fetch(url + steps, run);
  await subscribed(step);
  step.add('started', { contextEpoch: 1, executionCount: 1 });
  step.add('input_request', request);
  expect(await (await answer).json()).toMatchObject({ id: step.id, status: 'running', outcome });
  await step.left;
  expect([step.subscribers, isGone]).toEqual([0, false]);
});

test('a client waits on after a request for input that was answered already', async () => {
  const { step, asked, waiting } = await servedStep(() => (asked.length === 3 ? inNeed(step) : null));
  step.add('input_request', request);
  const first = waiting();
  await eventually(() => expect(asked).toHaveLength(1));
  step.add('stdout', Buffer.from('so'));
  step.add('input_request', request);
  await eventually(() => expect(asked).toHaveLength(2));
  step.add('input_request', request);
  expect(await (await first).json()).toMatchObject({ outcome });
  const second = waiting();
  await eventually(() => expect(asked).toHaveLength(4));
  const end = step.finish();
  expect(await (await second).json()).toEqual(end);
  expect(asked).toHaveLength(4);
});

test('a step that asks for nothing is never checked', async () => {
  const { step, url, asked, surprises } = await servedStep(() => null);
  const answer = fetch(url + steps, run);
  await subscribed(step);
  step.add('stdout', Buffer.from('a'));
  const end = step.finish();
  expect(await (await answer).json()).toEqual(end);
  expect([asked, surprises]).toEqual([[], []]);
});

test('a wait that is over gives the step as it is, and ends the reading', async () => {
  const { step, one } = await servedStep(() => null, { getStep: async () => inNeed(step) });
  const answer = await fetch(`${one}?waitSeconds=0.05`, { headers: asRun });
  expect(await answer.json()).toMatchObject({ status: 'running', outcome });
  await step.left;
  expect(step.subscribers).toBe(0);
});

test('without time to wait a step is read as it is at once', async () => {
  const { step, one, surprises } = await servedStep(() => null, { getStep: async () => inNeed(step) });
  for (const query of ['', '?waitSeconds=0'])
    expect(await (await fetch(one + query, { headers: asRun })).json()).toMatchObject({ outcome });
  expect([step.subscribers, surprises]).toEqual([0, []]);
});

test('a client gets a problem if the needs of its step cannot be determined, and the reading ends', async () => {
  const { step, waiting } = await servedStep(() => Promise.reject(new Problem('database-unavailable')));
  step.add('input_request', request);
  expect((await waiting()).status).toBe(503);
  await step.left;
  expect(step.subscribers).toBe(0);
});

test('a client that leaves while its step is checked leaves nothing behind', async () => {
  const check = Promise.withResolvers<never>();
  const { step, asked, one, url } = await servedStep(() => check.promise);
  step.add('input_request', request);
  const cut = new AbortController();
  const answer = fetch(`${one}?waitSeconds=30`, { headers: asRun, signal: cut.signal });
  await eventually(() => expect(asked).toHaveLength(1));
  cut.abort();
  await expect(answer).rejects.toThrow();
  await step.gone;
  check.reject(new Error('too late'));
  expect(step.subscribers).toBe(0);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test.each(['application/x-ndjson', 'text/event-stream'])(
  'a request for input is an event of its own, live and in the replay, as %s',
  async (accept) => {
    const { step, url, one } = await servedStep(() => null);
    step.add('started', { contextEpoch: 1, executionCount: 1 });
    const live = await openStream(url + steps, { ...run, headers: { ...asJson, Accept: accept } });
    step.add('input_request', { prompt: 'PIN\n', password: true }, 5);
    await eventually(() => expect(live.text).toContain('input_request'));
    step.finish();
    await eventually(() => expect(live.ended).toBe(true));
    const replay = await openStream(`${one}/events`, { headers: { ...asRun, Accept: accept } });
    await eventually(() => expect(replay.ended).toBe(true));
    expect(replay.text).toBe(live.text);
    const [, json = ''] = /^(?:data: )?(\{.*"type":"input_request".*\})$/m.exec(live.text) ?? [];
    expect(stepEventSchema.parse(JSON.parse(json))).toMatchObject({ seq: 2, prompt: 'PIN\n', password: true });
  },
);
