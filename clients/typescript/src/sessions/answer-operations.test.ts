import { expect, test } from 'vitest';
import { createConnection } from '../http/create-api.ts';
import { createOperationAnswers, OperationError } from './answer-operations.ts';

const sessionId = 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v';
const operation = { id: 'op_1', sessionId, name: 'double', arguments: [21] };

/** Answers of a session with one open call, at a server whose every list of calls `list` gives. */
function answersOf(list: (times: number) => Promise<object[]>) {
  const results: unknown[] = [];
  const streams: AbortSignal[] = [];
  let lists = 0;
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 1000, connectMs: 1000 },
    async fetch(request) {
      if (request.url.includes('/events')) {
        streams.push(request.signal);
        return new Response(new ReadableStream());
      }
      if (request.method === 'GET') return Response.json({ items: await list(++lists), nextCursor: null });
      results.push(await request.json());
      return Response.json(operation);
    },
  });
  return { ...createOperationAnswers(connection, sessionId), results, streams, lists: () => lists };
}

test('a list that was made before the answer arrived does not call the function again', async () => {
  const late = Promise.withResolvers<void>();
  const answers = answersOf(async (times) => {
    if (times === 2) await late.promise;
    return times <= 2 ? [operation] : [];
  });
  let calls = 0;
  using _answers = answers.on('double', ([value]) => {
    calls++;
    return value * 2;
  });
  answers.look();
  await expect.poll(() => answers.results).toEqual([{ value: 42 }]);
  late.resolve();
  answers.look();
  await expect.poll(answers.lists).toBe(3);
  expect(calls).toBe(1);
});

test('one stream of events serves all functions, also if one takes the place of another', async () => {
  const answers = answersOf(async () => []);
  const first = answers.on('double', () => 1);
  const second = answers.on('double', () => 2);
  await expect.poll(() => answers.streams.length).toBeGreaterThan(0);
  first.stop();
  expect(answers.streams.map(({ aborted }) => aborted)).toEqual([false]);
  second.stop();
  expect(answers.streams.map(({ aborted }) => aborted)).toEqual([true]);
});

test('code gets an error in the place of an answer that JSON cannot hold', async () => {
  const answers = answersOf(async (times) => (times === 1 ? [operation] : []));
  const endless: { self?: object } = {};
  endless.self = endless;
  const errors: unknown[] = [];
  using _answers = answers.on('double', () => endless, { onError: (error) => errors.push(error) });
  await expect.poll(() => answers.results).toEqual([{ error: { name: 'TypeError', message: expect.any(String) } }]);
  expect(errors).toEqual([]);
});

test('code learns the text of an error that is meant for it, and of no other', async () => {
  const answers = answersOf(async (times) => (times <= 2 ? [{ ...operation, id: `op_${times}` }] : []));
  const secret = new Error('password hunter2');
  const failed: unknown[] = [];
  const thrown = [secret, new OperationError('no station', { name: 'NoStation' })];
  const throwNext = () => {
    throw thrown.shift();
  };
  using _answers = answers.on('double', throwNext, { onFailed: (error, { id }) => failed.push([id, error]) });
  await expect.poll(() => answers.results.length).toBe(1);
  answers.look();
  await expect
    .poll(() => answers.results)
    .toEqual([
      { error: { name: 'OperationError', message: 'the function of the host has failed' } },
      { error: { name: 'NoStation', message: 'no station' } },
    ]);
  expect(failed).toEqual([['op_1', secret]]);
});
