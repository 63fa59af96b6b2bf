import { encodeFrame } from '@holdfast/specs/agent';
import { newId, Problem, type Step } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { SessionStream } from '../../src/sharing/follow-session.ts';
import type { OpenStep } from '../../src/sharing/open-step.ts';
import type { Happening } from '../../src/sharing/read-happenings.ts';
import { parsePosition, StreamPosition } from '../../src/sharing/stream-position.ts';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asRun, scriptedApp } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const path = `/v1/sessions/${sessionId}/events`;
const ndjson = { ...asRun, accept: 'application/x-ndjson' };
const sse = { ...asRun, accept: 'text/event-stream' };

const stepId = newId('stp');
const subject = { id: stepId, sessionId, actor: 'user', actorName: 'Ada', queuedAt: new Date(0) };
const step = (number: number, seenSeq = 0) => ({ number, seenSeq, subject }) as unknown as OpenStep;
const frames = [
  encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }),
  encodeFrame('stdout', 2, Buffer.from('a')),
];
const finished = { id: stepId, contextEpoch: 1, finishedAt: '2026-01-15T10:00:00.000Z' } as Step;
const entry = { number: 9, id: 'a9', time: new Date(0), operation: 'session.pause', actor: 'host' };

type Asked = Parameters<Parameters<typeof servedApp>[0]['followSession'] & object>[0];

/** A session in which these things happen, and then nothing until the reader leaves. */
function happening(given: readonly (Happening | Error)[], { isAtEnd = false, goesOn = false } = {}) {
  const asked: Asked[] = [];
  const position = new StreamPosition(sessionId);
  position.pass(3);
  const followSession = async (input: Asked): Promise<SessionStream> => {
    asked.push(input);
    return {
      position,
      isAtEnd,
      async *happenings(quietMs) {
        for (const one of given) {
          if (one instanceof Error) throw one;
          yield one;
        }
        while (goesOn && !input.signal.aborted) {
          await new Promise((resolve) => setTimeout(resolve, quietMs));
          yield 'quiet';
        }
      },
    };
  };
  return { followSession, asked };
}

test('each event has the cursor behind it, in which a step is open until its end', async () => {
  const given = [
    { step: step(2), frames, finished: null },
    { entry },
    { step: step(2, 2), frames, finished },
  ] as Happening[];
  const { url } = await servedApp(happening(given));
  const stream = await openStream(url + path, { headers: ndjson });
  await eventually(() => expect(stream.ended).toBe(true));
  const events = stream.lines();
  expect(events).toMatchObject([
    { type: 'started', seq: 1, stepId, actor: 'user', actorName: 'Ada' },
    { type: 'stdout', seq: 2, text: 'a' },
    { type: 'session', operation: 'session.pause', sessionId },
    { type: 'finished', seq: 3, step: { id: stepId } },
  ]);
  const places = events.map(({ cursor }) => parsePosition(sessionId, cursor));
  expect(places.map(({ open }) => [...open])).toEqual([[[2, 1]], [[2, 2]], [[2, 2]], []]);
  expect(places.map(({ entryNumber }) => entryNumber)).toEqual([0, 0, 9, 9]);
});

test('server-sent events have the cursor as their id, and are not to be buffered or stored', async () => {
  const { url } = await servedApp(happening([{ step: step(2), frames, finished }]));
  const stream = await openStream(url + path, { headers: sse });
  await eventually(() => expect(stream.ended).toBe(true));
  const ids = [...stream.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  expect(ids).toEqual(stream.text.match(/(?<="cursor":")[^"]+/g));
  expect(stream.text.match(/^event: .*$/gm)).toEqual(['event: started', 'event: stdout', 'event: finished']);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
});

test('a silent stream opens at once and shows signs of life', async () => {
  const { url } = await servedApp(happening([], { goesOn: true }), { heartbeatMs: 10 });
  const stream = await openStream(url + path, { headers: sse });
  expect(stream.status).toBe(200);
  await eventually(() => expect(stream.text.split(': still here\n\n').length).toBeGreaterThan(2));
  stream.cut();
});

test('the reading ends when its client has left', async () => {
  const { asked, followSession } = happening([], { goesOn: true });
  const { url, lines } = await servedApp({ followSession }, { heartbeatMs: 10 });
  const stream = await openStream(url + path, { headers: sse });
  stream.cut();
  await eventually(() => expect(asked[0]?.signal.aborted).toBe(true));
  await eventually(() => expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ disconnected: true, sessionId }));
});

test.each([
  [{}, '', { from: 'start' }],
  [{}, '?from=now', { from: 'now' }],
  [{}, '?after=abc', { after: 'abc' }],
  [{ 'Last-Event-ID': 'def' }, '?after=abc', { after: 'def', pointer: 'header/last-event-id' }],
])('with the headers %j and the query "%s" the reader asks for %j', async (headers, query, expected) => {
  const { asked, followSession } = happening([]);
  const { url } = await servedApp({ followSession });
  const stream = await openStream(url + path + query, { headers: { ...sse, ...headers } });
  await eventually(() => expect(stream.ended).toBe(true));
  expect(asked).toMatchObject([{ ...expected, sessionId }]);
});

test('a reader that has everything of a session that has ended is told not to come again', async () => {
  const { url } = await servedApp(happening([], { isAtEnd: true }));
  expect((await fetch(`${url}${path}?after=abc`, { headers: sse })).status).toBe(204);
  expect((await fetch(url + path, { headers: sse })).status).toBe(200);
});

test('a stream that fails ends with the problem, and an answer that has not begun is the problem', async () => {
  const { url } = await servedApp(
    happening([{ step: step(2), frames, finished: null }, new Problem('quota-exceeded')]),
  );
  const stream = await openStream(url + path, { headers: ndjson });
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.lines().at(-1)).toMatchObject({ type: 'problem', problem: { code: 'quota-exceeded' } });
  const refusing = await servedApp({
    followSession: async () => {
      throw new Problem('not-found');
    },
  });
  expect((await fetch(refusing.url + path, { headers: sse })).status).toBe(404);
});

test.each(['?after=', '?after=a.b', '?from=then', '?other=1'])('the query %s is refused', async (query) => {
  const { app, surprises } = scriptedApp({});
  expect((await app.request(path + query, { headers: sse })).status).toBe(400);
  expect(surprises).toEqual([]);
});
