import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asJson, asRun } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const files = `/v1/sessions/${sessionId}/files`;

/** More than the sockets of both sides buffer. */
const bytes = 32 * 1024 * 1024;
const large = { entries: [{ name: 'x'.repeat(bytes) }] } as never;

/** Sends a request and reads nothing of its answer. */
async function askAndDoNotRead(url: string, path: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${asJson.Authorization}\r\n\r\n`);
  return socket;
}

/** Longer than a client on a busy machine takes nothing although it reads. */
const stalledReaderMs = 400;

/** The app with a file without end. `timePasses` waits until unread streams of it were cut, one after the other. */
async function serving(listFiles: Verbs['listFiles']) {
  let cut = 0;
  const readFile: Verbs['readFile'] = async ({ onHead, onChunk }) => {
    onHead({ status: 200, headers: {} });
    try {
      for (;;) await onChunk(Buffer.alloc(1_000_000));
    } finally {
      cut++;
    }
  };
  const served = await servedApp({ listFiles, readFile }, {}, stalledReaderMs);
  return {
    ...served,
    timePasses: async () => {
      for (let wanted = cut + 1; wanted <= 4; wanted++) {
        (await openStream(`${served.url}${files}/x`, { headers: asRun })).pause();
        await eventually(() => expect(cut).toBe(wanted));
      }
    },
  };
}

test('a client that sends many requests before it takes their answers is disconnected after a few', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<never>();
  const { url, ...served } = await servedApp({
    listFiles: () => {
      asked += 1;
      return answer.promise;
    },
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(`GET ${files} HTTP/1.1\r\nHost: x\r\nAuthorization: ${asJson.Authorization}\r\n\r\n`.repeat(200));
  socket.resume();
  await closed;
  expect(asked).toBeLessThanOrEqual(8);
  answer.resolve({ entries: [] } as never);
  await served.close();
});

test('a client that does not read a JSON answer is disconnected', async () => {
  const { url, lines, timePasses } = await serving(async () => large);
  const socket = await askAndDoNotRead(url, files);
  await eventually(() => expect(lines).toHaveLength(1));
  await timePasses();
  let received = 0;
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  socket.resume();
  await eventually(() => expect(isClosed || received > bytes).toBe(true));
  expect(received).toBeLessThan(bytes);
});

test('a client that waits for its answer is not', async () => {
  const answer = Promise.withResolvers<never>();
  const { url, timePasses } = await serving(() => answer.promise);
  const waiting = fetch(url + files, { headers: asJson });
  await timePasses();
  answer.resolve(large);
  expect((await (await waiting).text()).length).toBeGreaterThan(bytes);
});
