import { Problem, stepEventSchema } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asJson, asRun } from './scripted-app.ts';
import { scriptedStep } from './scripted-step.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const run = { method: 'POST', body: '{"code":"x"}' };
const ndjson = { ...asJson, Accept: 'application/x-ndjson' };
const sse = { ...asJson, Accept: 'text/event-stream' };
const steps = `/v1/sessions/${sessionId}/steps`;
const started = { contextEpoch: 3, executionCount: 1 };

async function servedStep(options = {}, stalledReaderMs?: number) {
  const step = scriptedStep(sessionId);
  const served = await servedApp({ runStep: async () => step, followStep: async () => step }, options, stalledReaderMs);
  return { step, ...served, events: `${served.url}${steps}/${step.id}/events` };
}

test('events arrive while the step runs, in order, as the schema says, with the finished step last', async () => {
  const { step, url } = await servedStep();
  step.add('started', started, 1);
  const stream = await openStream(url + steps, { ...run, headers: ndjson });
  await eventually(() => expect(stream.lines()).toHaveLength(1));
  step.add('stdout', Buffer.from('a "quoted" é\n'), 20);
  await eventually(() => expect(stream.lines()).toHaveLength(2));
  step.add('result', { data: { 'text/plain': '42' }, metadata: {}, isMain: true }, 30);
  const end = step.finish();
  await eventually(() => expect(stream.ended).toBe(true));
  const events = stream.lines();
  expect(events.map((event) => stepEventSchema.parse(event))).toEqual(events);
  expect(events.map(({ type, seq }) => [type, seq])).toEqual([
    ['started', 1],
    ['stdout', 2],
    ['result', 3],
    ['finished', 4],
  ]);
  expect(events[1]).toMatchObject({
    text: 'a "quoted" é\n',
    time: '2026-01-15T10:00:00.020Z',
    contextEpoch: 3,
    stepId: step.id,
  });
  expect(events[3].step).toEqual(end);
  expect(stream.headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'x-request-id': expect.any(String) });
  expect(step.subscribers).toBe(0);
});

test('server-sent events carry seq and type and are not to be buffered or stored', async () => {
  const { step, url } = await servedStep();
  step.add('started', started);
  step.finish();
  const stream = await openStream(url + steps, { ...run, headers: sse });
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.text).toMatch(/^id: 1\nevent: started\ndata: \{.*\}\n\nid: 2\nevent: finished\ndata: \{.*\}\n\n$/);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'content-location': `${steps}/${step.id}`,
  });
});

test.each([
  ['after=2', {}],
  ['after=0', { 'Last-Event-ID': '2' }],
])(
  'a replay with ?%s and %j holds what comes after, with the context epoch of what was left out',
  async (query, headers) => {
    const { step, events } = await servedStep();
    step.add('started', started);
    step.add('stdout', Buffer.from('a'));
    step.add('stdout', Buffer.from('b'));
    const stream = await openStream(`${events}?${query}`, {
      headers: { ...asRun, ...headers, Accept: 'application/x-ndjson' },
    });
    await eventually(() => expect(stream.lines()).toHaveLength(1));
    step.finish();
    await eventually(() => expect(stream.ended).toBe(true));
    expect(stream.lines()).toMatchObject([
      { seq: 3, text: 'b', contextEpoch: 3 },
      { seq: 4, type: 'finished' },
    ]);
  },
);

test('a replay after the last event of a finished step is 204, so that an EventSource does not come again', async () => {
  const { step, events } = await servedStep();
  step.add('started', started);
  step.finish();
  const headers = { ...asRun, Accept: 'text/event-stream' };
  expect((await fetch(`${events}?after=2`, { headers })).status).toBe(204);
  const last = await fetch(`${events}?after=1`, { headers });
  expect(await last.text()).toMatch(/^id: 2\nevent: finished\n/);
});

test.each([
  ['server-sent events', sse, ': still here\n\n'],
  ['NDJSON', ndjson, '\n'],
])('a silent stream of %s shows signs of life', async (_, headers, sign) => {
  const { step, url } = await servedStep({ heartbeatMs: 10 });
  const stream = await openStream(url + steps, { ...run, headers });
  await eventually(() => expect(stream.text.split(sign).length).toBeGreaterThan(2));
  step.finish();
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.text).toContain('"type":"finished"');
});

test.each([
  ['NDJSON', ndjson],
  ['server-sent events', sse],
])(
  'a client that leaves in the middle of %s is told to the step once and leaves no subscription',
  async (_, headers) => {
    const { step, url, lines } = await servedStep();
    step.add('started', started);
    const stream = await openStream(url + steps, { ...run, headers });
    stream.cut();
    await step.gone;
    await eventually(() => expect(step.subscribers).toBe(0));
    await eventually(() => expect(lines).toHaveLength(1));
    expect(JSON.parse(lines[0] as string)).toMatchObject({ disconnected: true, stepId: step.id });
  },
);

test('a client that leaves while it waits for the finished step as JSON is told to the step', async () => {
  const { step, url } = await servedStep();
  const cut = new AbortController();
  const waiting = fetch(url + steps, { ...run, headers: asJson, signal: cut.signal });
  await eventually(() => expect(step.subscribers).toBe(1));
  cut.abort();
  await expect(waiting).rejects.toThrow();
  await step.gone;
  expect(step.subscribers).toBe(0);
});

test('the finished step comes as JSON with its length, and the connection serves again', async () => {
  const { step, url } = await servedStep();
  const waiting = fetch(url + steps, { ...run, headers: asJson });
  await eventually(() => expect(step.subscribers).toBe(1));
  const end = step.finish({ stdout: 'é\n' });
  const response = await waiting;
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(end))));
  expect(await response.json()).toEqual(end);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

const megabyte = Buffer.alloc(1024 * 1024, 'a');

test('a step whose end will not be known ends its stream with a problem after the last event', async () => {
  const { step, url } = await servedStep();
  step.add('started', started);
  const stream = await openStream(url + steps, { ...run, headers: ndjson });
  await eventually(() => expect(stream.lines()).toHaveLength(1));
  step.fail(new Problem('internal', { detail: 'read it again' }));
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.lines()).toMatchObject([
    { type: 'started' },
    { problem: { code: 'internal', detail: 'read it again' } },
  ]);
  expect(step.subscribers).toBe(0);
});

test('a step whose end will not be known answers a problem to a client that waits for the finished step', async () => {
  const { step, url } = await servedStep();
  const answered = fetch(url + steps, { ...run, headers: asJson });
  await eventually(() => expect(step.subscribers).toBe(1));
  step.fail(new Problem('database-unavailable'));
  const answer = await answered;
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'database-unavailable' }]);
  expect(step.subscribers).toBe(0);
});

test('a client that does not read holds back the rendering, and gets every event once it reads', async () => {
  const { step, url } = await servedStep();
  for (let count = 0; count < 40; count++) step.add('stdout', megabyte);
  const stream = await openStream(url + steps, { ...run, headers: ndjson });
  stream.pause();
  const read = step.framesRead();
  expect(read).toBeLessThan(30);
  step.add('stdout', megabyte);
  expect(step.framesRead()).toBe(read);
  step.finish();
  stream.resume();
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.lines().map(({ seq }) => seq)).toEqual(Array.from({ length: 42 }, (_, index) => index + 1));
});

test('a client that does not read for too long loses its connection, and the step hears of it', async () => {
  const { step, url } = await servedStep({}, 20);
  for (let count = 0; count < 40; count++) step.add('stdout', megabyte);
  const stream = await openStream(url + steps, { ...run, headers: sse });
  stream.pause();
  await step.gone;
  expect(step.subscribers).toBe(0);
});

test.each([
  ['NDJSON', ndjson, /\n\{"type":"problem","problem":\{.*"code":"internal".*\}\}\n$/],
  ['server-sent events', sse, /\n\nevent: problem\ndata: \{.*"code":"internal".*\}\n\n$/],
])(
  'a stream of %s that fails in the middle says so in its last line and leaves the server whole',
  async (_, headers, last) => {
    const { step, url } = await servedStep();
    step.add('started', started);
    const stream = await openStream(url + steps, { ...run, headers });
    step.add('error', Buffer.from('{"name": no JSON\n'));
    await eventually(() => expect(stream.ended).toBe(true));
    expect(stream.text).toMatch(last);
    expect(stream.text).not.toContain('no JSON');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  },
);
