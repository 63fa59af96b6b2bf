import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { asJson } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

/** More than the sockets of both sides buffer. */
const large = { entries: [{ name: 'x'.repeat(32 * 1024 * 1024) }] } as never;

/** Sends a request and reads nothing of its answer. */
async function askAndDoNotRead(url: string, path: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${asJson.Authorization}\r\n\r\n`);
  return socket;
}

test('a client that does not read a JSON answer is disconnected', async () => {
  const { url, lines, close } = await servedApp({ listFiles: async () => large }, {}, 20);
  const socket = await askAndDoNotRead(url, `/v1/sessions/${sessionId}/files`);
  await eventually(() => expect(lines).toHaveLength(1));
  // Closing waits for a connection on which an answer is still being sent.
  await close({ graceMs: 2 ** 30 });
  socket.destroy();
}, 20_000);

test('a client that waits for an answer, or reads it slowly, is not', async () => {
  const answer = Promise.withResolvers<never>();
  const { url } = await servedApp({ listFiles: () => answer.promise }, {}, 50);
  const waiting = fetch(`${url}/v1/sessions/${sessionId}/files`, { headers: asJson });
  // Another connection on which nothing moves shows that the time has passed.
  const second = await servedApp({ listFiles: async () => large }, {}, 50);
  const unread = await askAndDoNotRead(second.url, `/v1/sessions/${sessionId}/files`);
  await eventually(() => expect(second.lines).toHaveLength(1));
  await second.close({ graceMs: 2 ** 30 });
  unread.destroy();
  answer.resolve(large);
  expect((await (await waiting).text()).length).toBeGreaterThan(32 * 1024 * 1024);
}, 20_000);
