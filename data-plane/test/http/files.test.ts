import { once } from 'node:events';
import { connect } from 'node:net';
import { Problem, type WrittenFile } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Verbs } from '../../src/http/v1/verbs.ts';
import { eventually } from '../support/eventually.ts';
import { asJson, asRun } from './scripted-app.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const files = `/v1/sessions/${sessionId}/files`;
const written: WrittenFile & { isNew: boolean } = { path: 'x', size: 0, sha256: '0a'.repeat(32), isNew: true };

/** A verb that reads the body, and how that ended. */
function reading() {
  const seen: { bytes: number; fault: unknown } = { bytes: 0, fault: null };
  const putFile: Verbs['putFile'] = async ({ body }) => {
    try {
      for await (const piece of body) seen.bytes += piece.length;
    } catch (error) {
      seen.fault = error;
      throw error;
    }
    return written;
  };
  return { seen, putFile };
}

/** Sends the beginning of a request, and says what comes back until the connection ends. */
async function sendPart(url: string, text: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  return { socket, closed: new Promise<string>((resolve) => socket.once('close', () => resolve(received))) };
}

const head = (method: string, path: string, more: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer run\r\n${more}\r\n\r\n`;

test.for([
  ['with a length', 'Content-Length: 1000', 'half'],
  ['in chunks', 'Transfer-Encoding: chunked', '4\r\nhalf\r\n'],
])('a body %s that is cut off is never taken for a whole one', async ([, length, part]) => {
  const { seen, putFile } = reading();
  const { url } = await servedApp({ putFile });
  const { socket } = await sendPart(url, `${head('PUT', `${files}/x`, length ?? '')}${part}`);
  await eventually(() => expect(seen.bytes).toBe(4));
  socket.destroy();
  await eventually(() => expect(seen.fault).not.toBeNull());
  expect(seen.fault).toMatchObject({ slug: 'invalid-request', options: { detail: 'the body was cut off' } });
});

test('a client that sends nothing of its body for too long is dropped', async () => {
  const { seen, putFile } = reading();
  const { url } = await servedApp({ putFile }, { stalledWriterMs: 50 });
  const { closed } = await sendPart(url, `${head('PUT', `${files}/x`, 'Content-Length: 10')}some`);
  await closed;
  expect(seen).toMatchObject({ bytes: 4, fault: { slug: 'invalid-request' } });
});

test('a body that comes slowly is read for as long as something comes', async () => {
  const { seen, putFile } = reading();
  const { url } = await servedApp({ putFile }, { stalledWriterMs: 2000, bodyMs: 1 });
  const { socket, closed } = await sendPart(url, head('PUT', `${files}/x`, 'Content-Length: 5\r\nConnection: close'));
  for (let sent = 1; sent <= 5; sent++) {
    socket.write('x');
    await eventually(() => expect(seen.bytes).toBe(sent));
  }
  expect(await closed).toContain('201 Created');
});

test('JSON has to come in time as a whole', async () => {
  const { url, surprises } = await servedApp({}, { bodyMs: 50 });
  const json = 'Content-Type: application/json\r\nContent-Length: 100';
  const { closed } = await sendPart(url, `${head('POST', `/v1/sessions/${sessionId}/move`, json)}{"from":`);
  expect(await closed).toContain('400 Bad Request');
  expect(surprises).toEqual([]);
});

test.for(['GET', 'DELETE'])('an unread body of %s keeps no connection open', async (method) => {
  const { url } = await servedApp({
    getSession: async () => Promise.reject(new Problem('not-found')),
    deleteSession: async () => 'gone',
  });
  const { closed } = await sendPart(url, `${head(method, `/v1/sessions/${sessionId}`, 'Content-Length: 10')}part`);
  expect(await closed).toContain('HTTP/1.1');
});

test('a refusal gets through while the body is still coming', async () => {
  const { url } = await servedApp({ putFile: async () => Promise.reject(new Problem('path-conflict')) });
  const { closed } = await sendPart(url, `${head('PUT', `${files}/x`, 'Content-Length: 1000000')}part`);
  expect(await closed).toContain('409 Conflict');
});

test('a body with an encoding is refused, and one that announces its length is known by it', async () => {
  const sizes: unknown[] = [];
  const putFile: Verbs['putFile'] = async ({ size }) => {
    sizes.push(size);
    return written;
  };
  const { url } = await servedApp({ putFile });
  const put = (headers: Record<string, string>) => fetch(`${url}${files}/x`, { method: 'PUT', body: 'text', headers });
  expect((await put({ ...asRun, 'content-encoding': 'gzip' })).status).toBe(415);
  expect((await put({ ...asRun, 'content-encoding': 'identity' })).status).toBe(201);
  expect(sizes).toEqual([4]);
});

test('a client that waits to be asked for its body is asked', async () => {
  const { seen, putFile } = reading();
  const { url } = await servedApp({ putFile });
  const more = 'Content-Length: 4\r\nExpect: 100-continue\r\nConnection: close';
  const { socket, closed } = await sendPart(url, head('PUT', `${files}/x`, more));
  await once(socket, 'data');
  socket.write('text');
  expect(await closed).toMatch(/^HTTP\/1.1 100 Continue.*201 Created/s);
  expect(seen.bytes).toBe(4);
});

test('a read that fails before the head is a problem, and after the head breaks off', async () => {
  let isBegun = true;
  const readFile: Verbs['readFile'] = async ({ onHead, onChunk }) => {
    if (!isBegun) throw new Problem('sandbox-unreachable');
    onHead({ status: 200, headers: { 'content-length': '10' } });
    await onChunk(Buffer.from('half'));
    throw new Error('the agent is gone');
  };
  const { url } = await servedApp({ readFile });
  await expect(fetch(`${url}${files}/x`, { headers: asRun }).then((response) => response.text())).rejects.toThrow();
  isBegun = false;
  expect((await fetch(`${url}${files}/x`, { headers: asRun })).status).toBe(503);
});

test('a client that does not read is dropped, and the reading ends', async () => {
  const ended = Promise.withResolvers<unknown>();
  const readFile: Verbs['readFile'] = async ({ onHead, onChunk }) => {
    onHead({ status: 200, headers: {} });
    try {
      for (;;) await onChunk(Buffer.alloc(1_000_000));
    } catch (error) {
      ended.resolve(error);
      throw error;
    }
  };
  const { url } = await servedApp({ readFile }, {}, 50);
  const { socket } = await sendPart(url, head('GET', `${files}/x`, 'Accept: */*'));
  socket.pause();
  expect(await ended.promise).toMatchObject({ name: 'AbortError' });
});

test('dots in a path are refused before an operation is chosen', async () => {
  const { url, surprises } = await servedApp({});
  const { closed } = await sendPart(url, head('DELETE', `${files}/%2e%2E/../${sessionId}`, 'Connection: close'));
  expect(await closed).toContain('400 Bad Request');
  expect(surprises).toEqual([]);
});

test('every fault of a move is listed', async () => {
  const { url } = await servedApp({});
  const init = { method: 'POST', headers: asJson, body: '{"from":"../x","to":"/tmp/../etc","over":1}' };
  const body = (await (await fetch(`${url}/v1/sessions/${sessionId}/move`, init)).json()) as {
    errors: { pointer: string }[];
  };
  expect(body.errors.map(({ pointer }) => pointer).toSorted()).toEqual(['/from', '/over', '/to']);
});
