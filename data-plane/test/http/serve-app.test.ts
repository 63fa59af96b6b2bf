import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { serveApp } from '../../src/http/edge/serve-app.ts';
import { eventually } from '../support/eventually.ts';
import { openStream } from './open-stream.ts';
import { asJson, asRun } from './scripted-app.ts';
import { scriptedStep } from './scripted-step.ts';
import { sessionId } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const steps = `/v1/sessions/${sessionId}/steps`;

test('a body that grows over the limit without saying its length is refused with 413', async () => {
  const { url, surprises } = await servedApp({}, { bodyBytesMax: 10_000 });
  let chunks = 0;
  const body = new ReadableStream({
    pull: (controller) => (chunks++ < 50 ? controller.enqueue(new Uint8Array(4096).fill(0x20)) : controller.close()),
  });
  const response = await fetch(url + steps, { method: 'POST', headers: asJson, body, duplex: 'half' } as RequestInit);
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ code: 'body-too-large' });
  expect(surprises).toEqual([]);
});

test('a client that leaves in the middle of its body starts nothing and disturbs no other request', async () => {
  const { url, surprises, lines } = await servedApp({});
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = `POST ${steps} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer run\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`;
  await new Promise((resolve) => socket.write(`${head}{"code":`, resolve));
  socket.destroy();
  await eventually(() => expect(lines).toHaveLength(1));
  expect(surprises).toEqual([]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('closing takes no new connection, lets a running step finish, and resolves when it has', async () => {
  const step = scriptedStep(sessionId);
  const { url, close } = await servedApp({ runStep: async () => step });
  step.add('started', { contextEpoch: 1, executionCount: 1 });
  const stream = await openStream(url + steps, {
    method: 'POST',
    headers: { ...asJson, Accept: 'application/x-ndjson' },
    body: '{"code":""}',
  });
  let closed = false;
  const closing = close().then(() => {
    closed = true;
  });
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  expect(closed).toBe(false);
  step.finish();
  await closing;
  await eventually(() => expect(stream.ended).toBe(true));
  expect(stream.lines().at(-1)).toMatchObject({ type: 'finished' });
});

test('a connection that a client keeps alive after its answer does not hold up closing', async () => {
  const step = scriptedStep(sessionId);
  const { url, close } = await servedApp({ runStep: async () => step });
  const waiting = fetch(url + steps, { method: 'POST', headers: asJson, body: '{"code":""}' });
  await eventually(() => expect(step.subscribers).toBe(1));
  const closing = close({ graceMs: 60_000 });
  step.finish();
  expect((await waiting).status).toBe(200);
  await closing;
}, 5000);

test('closing cuts what is left after the grace', async () => {
  const step = scriptedStep(sessionId);
  const { url, close } = await servedApp({ runStep: async () => step });
  const waiting = fetch(url + steps, { method: 'POST', headers: asJson, body: '{"code":""}' });
  await eventually(() => expect(step.subscribers).toBe(1));
  await Promise.all([close({ graceMs: 10 }), expect(waiting).rejects.toThrow()]);
  await step.gone;
});

test('HEAD is answered as GET without a body, also for events of a step that still runs', async () => {
  const step = scriptedStep(sessionId);
  const { url } = await servedApp({ followStep: async () => step });
  const response = await fetch(`${url}${steps}/${step.id}/events`, { method: 'HEAD', headers: asRun });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
});

test('rejects a port that is already in use', async () => {
  const { app, url } = await servedApp({});
  await expect(serveApp(app, { host: '127.0.0.1', port: Number(new URL(url).port) })).rejects.toThrow('EADDRINUSE');
});
