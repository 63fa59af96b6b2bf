import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createConnection } from '../http/create-api.ts';
import { createFiles } from './files.ts';

const sessionId = 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v';

/** The files of a session at a server that gives these answers, and the ranges that it was asked for. */
function filesOf(answers: Response[]) {
  const ranges: (string | null)[] = [];
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 1000, connectMs: 1000 },
    async fetch(request) {
      ranges.push(request.headers.get('Range'));
      return answers.shift() ?? Response.error();
    },
  });
  return { ...createFiles(connection, sessionId), ranges };
}

/** A body that breaks off behind the text. */
function broken(text: string): ReadableStream<Uint8Array> {
  const pieces = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.error(new TypeError('terminated'));
    },
  });
}

const headers = { ETag: '"1"', 'Content-Length': '4' };

test('reads on behind the bytes that arrived', async () => {
  const files = filesOf([new Response(broken('ab'), { headers }), new Response('cd', { status: 206 })]);
  expect(await files.readText('a.txt')).toBe('abcd');
  expect(files.ranges).toEqual([null, 'bytes=2-']);
});

test('does not append a whole file that comes in the place of the rest', async () => {
  const files = filesOf([new Response(broken('ab'), { headers }), new Response('abcd', { headers })]);
  await expect(files.readText('a.txt')).rejects.toMatchObject({ code: 'unexpected-answer' });
});

test('takes a file for whole only by a length that counts its own bytes', async () => {
  const whole = filesOf([new Response(broken('abcd'), { headers })]);
  expect(await whole.readText('a.txt')).toBe('abcd');
  const compressed = { ...headers, 'Content-Encoding': 'gzip' };
  const files = filesOf([
    new Response(broken('abcd'), { headers: compressed }),
    new Response('ef', { status: 206, headers: compressed }),
  ]);
  expect(await files.readText('a.txt')).toBe('abcdef');
});

test.each([
  ['that ends', () => [new Response('abcd', { headers })]],
  ['that breaks off at its end', () => [new Response(broken('abcd'), { headers })]],
  ['that is not there', () => [Response.json({ code: 'not-found', title: 'Not found' }, { status: 404 })]],
])('a file %s leaves no listener on the signal of the caller', async (_, answers) => {
  const { signal } = new AbortController();
  await filesOf(answers())
    .readText('a.txt', { signal })
    .catch(() => {});
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([
  ['session.txt does not exist', null],
  [`session ${sessionId} does not exist`, 'not-found'],
])('tells a path that is not there from a session that is not: %s', async (detail, code) => {
  const problem = { code: 'not-found', title: 'Not found', status: 404, detail };
  const stat = filesOf([Response.json(problem, { status: 404 })]).stat('session.txt');
  if (code) await expect(stat).rejects.toMatchObject({ code });
  else expect(await stat).toBe(null);
});

test('a watch whose connection breaks fails with an error of the client', async () => {
  const files = filesOf([new Response(broken('event: ready\ndata: {"type":"ready"}\n\n'))]);
  const types: string[] = [];
  const watch = async () => {
    for await (const { type } of files.watch()) types.push(type);
  };
  await expect(watch()).rejects.toMatchObject({ code: 'connection-failed' });
  expect(types).toEqual(['ready']);
});

test('a list tells whether entries are missing', async () => {
  const items = [{ path: 'a.txt', kind: 'file', size: 1 }];
  const list = await filesOf([Response.json({ items, truncated: true })]).list();
  expect([[...list], list.truncated]).toEqual([items, true]);
});

test.each([
  ['a text', 'content'],
  ['bytes', new TextEncoder().encode('content')],
  ['a Blob', new Blob(['content'])],
])('%s is sent as a whole again after a break', async (_, content) => {
  const { write, sent } = writerOf(['break', 'break']);
  await write('a.txt', content);
  expect(sent).toEqual(Array(3).fill(['content', 'application/octet-stream']));
});

test('a stream is sent once', async () => {
  const { write, sent } = writerOf(['break']);
  await expect(write('a.txt', new Blob(['content']).stream())).rejects.toMatchObject({ code: 'connection-failed' });
  expect(sent).toEqual([['content', 'application/octet-stream']]);
});

/** Writes to a server that breaks off so many connections, and what was sent to it. */
function writerOf(breaks: string[]) {
  const sent: unknown[] = [];
  const connection = createConnection({
    url: 'http://server.test',
    limits: { reconnectMs: 5000, connectMs: 5000 },
    async fetch(request) {
      sent.push([await request.text(), request.headers.get('Content-Type')]);
      if (breaks.pop()) throw new TypeError('fetch failed');
      return Response.json({});
    },
  });
  return { ...createFiles(connection, sessionId), sent };
}
