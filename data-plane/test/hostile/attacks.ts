import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeFrame, type FrameType, frameTypes } from '@holdfast/specs/agent';

const mebibyte = 1024 * 1024;

/** Writes no faster than the other side reads. */
export type Send = (bytes: Buffer | string) => Promise<void>;

/** The answer of a hostile agent to a request, in a chunked body. */
export type Attack = (send: Send) => Promise<unknown>;

const chunked = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** A chunk of frames with the next numbers. The whole is sent again and again, so only the numbers are written anew. */
function frames(type: FrameType, payload: Buffer | object, count: number) {
  const one = encodeFrame(type, 1, payload);
  const all = Buffer.concat(Array.from({ length: count }, () => one));
  let seq = 1;
  return () => {
    for (let at = 0; at < all.length; at += one.length) all.writeUInt32BE(++seq, at + 4);
    return chunked(all);
  };
}

const started = chunked(encodeFrame('started', 1, { contextEpoch: 1, executionCount: 1 }));

/** Sends frames in chunks of `count`, for ever or so many chunks. */
const flood =
  (type: FrameType, payload: Buffer | object, count: number, chunks = Number.POSITIVE_INFINITY) =>
  async (send: Send) => {
    await send(started);
    const next = frames(type, payload, count);
    for (let sent = 0; sent < chunks; sent++) await send(next());
    return 1 + count * chunks;
  };

const done = {
  status: 'succeeded',
  contextEpoch: 1,
  executionCount: 1,
  durationMs: 1,
  stateSurvived: true,
  cause: null,
};

/** The end that follows a number of frames. */
const thenDone =
  (send: (send: Send) => Promise<number>): Attack =>
  async (to) => {
    const lastSeq = await send(to);
    await to(chunked(encodeFrame('done', lastSeq + 1, done)));
    await to('0\r\n\r\n');
  };

const repeated = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));

/** Keys that no object has in common: the JSON that takes the longest to parse. */
function distinctKeys(bytes: number): string {
  const keys: string[] = [];
  for (let length = 0; length < bytes; length += (keys.at(-1) as string).length + 1) keys.push(`"k${keys.length}":1`);
  return `{${keys.join(',')}}`;
}

const resultOf = (json: string) => Buffer.from(`{"data":{"application/json":${json}},"metadata":{},"isMain":true}`);
const commOf = (data: string) =>
  Buffer.from(
    `{"commId":"c","kind":"message","targetName":null,"data":${data},"metadata":{},"buffers":[],"sender":"kernel"}`,
  );
const change = { path: 'a', change: 'created', size: 1, concurrent: false, version: 'v' };

/** By name: the answers to a request that starts a step or attaches to one. */
export const stepAttacks: Record<string, Attack> = {
  'long stdout': flood('stdout', Buffer.alloc(mebibyte, 'x'), 1),
  'short stdout': flood('stdout', Buffer.from('x'), 4000),
  'empty stderr': flood('stderr', Buffer.alloc(0), 4000),
  'result of arrays': flood('result', resultOf(`[${repeated('[],', 7 * mebibyte)}1]`), 1),
  'result of keys': flood('result', resultOf(distinctKeys(7 * mebibyte)), 1),
  'deep result': flood('result', resultOf(`${'['.repeat(mebibyte)}${']'.repeat(mebibyte)}`), 1),
  'result of escapes': flood('result', resultOf(`"${repeated('\\u0001', 7 * mebibyte)}"`), 1),
  'small results': flood('result', resultOf('1'), 1000),
  'comm message of keys': flood('comm', commOf(distinctKeys(7 * mebibyte)), 1),
  'small comm messages': flood('comm', commOf('{}'), 1000),
  errors: flood('error', { name: 'E', message: 'm', traceback: Array(200).fill('\\'.repeat(16_384)) }, 1),
  'endless state_reset': flood(
    'state_reset',
    { contextEpoch: 1, restored: Array(200_000).fill('a'), replayed: [], lost: [] },
    1,
  ),
  'small state_resets': flood('state_reset', { contextEpoch: 1, restored: [], replayed: [], lost: ['*'] }, 1000),
  truncations: flood('truncated', { stream: 'stdout', bytes: 1 }, 1000),
  'input requests': flood('input_request', { prompt: '', password: false }, 1000),
  'long input requests': flood('input_request', { prompt: '\u0001'.repeat(65_536), password: true }, 1),
  changes: flood('changes', { changes: Array(500).fill(change) }, 10),
  artifacts: flood('artifact', {}, 1000),
  'a frame that never ends': async (send) => {
    await send(started);
    const head = encodeFrame('result', 2, Buffer.alloc(0));
    head.writeUInt32BE(8 * mebibyte, 12);
    await send(chunked(head));
    for (let sent = 0; sent < 8 * mebibyte - 65_536; sent += 65_536) await send(chunked(Buffer.alloc(65_536)));
    await send(Buffer.alloc(0));
    await delay(600_000);
  },
  'chunks of one byte': async (send) => {
    await send(started);
    const next = frames('stdout', Buffer.alloc(65_000, 'x'), 1);
    for (;;) {
      const bytes = next();
      await send(
        Buffer.from(
          [...bytes.subarray(bytes.indexOf('\n') + 1, -2)]
            .map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`)
            .join(''),
          'latin1',
        ),
      );
    }
  },
  'a chunk extension that never ends': async (send) => {
    await send('1;');
    for (const x = Buffer.alloc(mebibyte, 'x'); ; ) await send(x);
  },
  'a chunk size that never ends': async (send) => {
    for (const zeros = Buffer.alloc(mebibyte, '0'); ; ) await send(zeros);
  },
  'trailers that never end': async (send) => {
    await send(started);
    await send('0\r\n');
    for (const x = Buffer.from(`a: ${'b'.repeat(8000)}\r\n`); ; ) await send(x);
  },
  'a byte now and then': async (send) => {
    await send(started);
    for (const byte of encodeFrame('stdout', 2, Buffer.alloc(mebibyte))) {
      await send(chunked(Buffer.from([byte])));
      await delay(100);
    }
  },
  'as much as a step may have, and an end': thenDone(flood('stdout', Buffer.alloc(mebibyte, '"'), 1, 60)),
  'long output, and an end': thenDone(flood('stdout', Buffer.alloc(mebibyte, '"'), 1, 8)),
  'many short frames, and an end': thenDone(flood('stdout', Buffer.from('x'), 1000, 40)),
  'as many changes as a step may have, and an end': thenDone(
    flood('changes', { changes: Array.from({ length: 500 }, (_, n) => ({ ...change, path: `${n}` })) }, 1, 39),
  ),
  garbage: async (send) => {
    for (const x = chunked(Buffer.alloc(mebibyte, frameTypes.stdout)); ; ) await send(x);
  },
};

const json = (text: string): Attack => {
  const bytes = chunked(Buffer.from(text));
  return async (send) => {
    await send(bytes);
    await send('0\r\n\r\n');
  };
};

/** Answers to requests that expect JSON, or nothing at all. */
export const answerAttacks: Attack[] = [
  async (send) => {
    for (const x = chunked(Buffer.alloc(mebibyte, ' ')); ; ) await send(x);
  },
  ...['items', 'symbols', 'contexts', 'steps', 'changes', 'matches', 'errors', 'files'].flatMap((key) => [
    json(`{"${key}":[${repeated('{},', mebibyte)}{}]}`),
    json(`{"${key}":[${distinctKeys(4 * mebibyte)}]}`),
    json(`{"${key}":[${repeated('[],', 15 * mebibyte)}1]}`),
  ]),
  json('['.repeat(4 * mebibyte)),
  // Pages of digests, none of which is the last.
  json('{"files":[],"next":"a"}'),
  async (send) => {
    for (const x = '1\r\n \r\n'.repeat(10_000); ; ) await send(x);
  },
  async (send) => {
    for (;;) {
      await send('1\r\n \r\n');
      await delay(20);
    }
  },
];

/** Heads of answers, instead of one. */
export const headAttacks: Attack[] = [
  async (send) => {
    for (const x = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000); ; ) await send(x);
  },
  async (send) => {
    await send('HTTP/1.1 200 OK\r\n');
    for (const x = `a: ${'b'.repeat(8000)}\r\n`; ; ) await send(x);
  },
  async (send) => {
    for (const x = Buffer.alloc(mebibyte, 'x'); ; ) await send(x);
  },
];

/** A `Send` on a connection. It rejects when the connection is closed. */
export function sender(socket: Socket): Send {
  const closed = new Promise<never>((_, reject) => socket.once('close', () => reject(new Error('closed'))));
  closed.catch(() => {});
  return async (bytes) => {
    if (socket.destroyed) throw new Error('closed');
    if (socket.write(bytes)) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  };
}
