import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { firstKey, serveInSandbox, startTwoReplicas, type TwoReplicas } from './two-replicas.ts';
import { exchange, upgrade, visit } from './visit.ts';

let replicas: TwoReplicas;
beforeAll(async () => {
  replicas = await startTwoReplicas();
}, 120_000);
afterAll(() => replicas[Symbol.asyncDispose]());

type Listener = Parameters<typeof serveInSandbox>[0];

/** A server of the sandbox with a public port. Both replicas are asked in turn. */
async function publicServer(listener: Listener, access: 'public' | 'key' | 'link' = 'public') {
  const served = await serveInSandbox(listener);
  onTestFinished(served.close);
  const opened = await replicas.open({ port: served.port, access });
  let turn = 0;
  const at = () => [replicas.one, replicas.other][turn++ % 2]?.url ?? '';
  return { ...served, opened, at, host: opened.host };
}

test('a visitor gets the answer of the server as it is, and the server the request', async () => {
  const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
  const { host, at } = await publicServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    seen.push({ method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body });
    outgoing.writeHead(201, { 'X-Own': 'kept', 'Content-Type': 'text/plain' });
    outgoing.end('\u00fc made');
  });
  const headers = { 'X-Custom': 'a', Accept: 'text/plain', Authorization: 'Basic YTpi', Cookie: 'own=1' };
  for (const _ of [1, 2]) {
    const answer = await visit({ at: at(), host, method: 'POST', path: '/a%2F..//b?q=1', headers, body: 'sent' });
    expect(answer).toMatchObject({ status: 201, text: '\u00fc made', headers: { 'x-own': 'kept' } });
  }
  expect(seen).toHaveLength(2);
  expect(seen[1]).toMatchObject({ method: 'POST', url: '/a%2F..//b?q=1', body: 'sent' });
  expect(seen[1]?.headers).toMatchObject({
    host,
    'x-custom': 'a',
    authorization: 'Basic YTpi',
    cookie: 'own=1',
    'x-forwarded-host': host,
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '127.0.0.1',
    via: `1.1 ${host}`,
  });
}, 60_000);

test('large bodies pass both ways, and neither side gets ahead of the other', async () => {
  const { host, at } = await publicServer((incoming, outgoing) => void incoming.pipe(outgoing));
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let made = 0;
  const body = Readable.from(
    (function* () {
      for (; made < 320; made++) yield chunk;
    })(),
  );
  const answer = await visit({ at: at(), host, method: 'PUT', headers: { 'Transfer-Encoding': 'chunked' }, body });
  expect(answer.body.length).toBe(320 * chunk.length);
  expect(answer.body.equals(Buffer.alloc(320 * chunk.length, 'x'))).toBe(true);
}, 60_000);

test('a server that writes without end is stopped by a visitor that takes nothing', async () => {
  let written = 0;
  const { host, at } = await publicServer((_, outgoing) => {
    const go = () => {
      while (outgoing.write(Buffer.alloc(65_536))) written += 65_536;
    };
    outgoing.on('drain', go);
    go();
  });
  const { socket } = await upgradeless(at(), host);
  let before = -1;
  await eventually(async () => {
    await delay(100);
    const isStill = written === before;
    before = written;
    expect(isStill).toBe(true);
  });
  expect(written).toBeLessThan(64 * 2 ** 20);
  socket.destroy();
}, 60_000);

/** A request whose answer is not read beyond its head. */
async function upgradeless(at: string, host: string) {
  return await upgrade({ at, host, headers: { Connection: 'keep-alive', Upgrade: 'none' } });
}

test('events pass as they come', async () => {
  const gate: { go?: () => void } = {};
  const { host, at } = await publicServer((_, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' });
    outgoing.flushHeaders();
    outgoing.write('data: first\n\n');
    gate.go = () => outgoing.end('data: second\n\n');
  });
  const { socket, rest } = await upgradeless(at(), host);
  let text = rest.toString();
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.resume();
  await eventually(() => expect(text).toContain('first'));
  expect(text).not.toContain('second');
  gate.go?.();
  await eventually(() => expect(text).toContain('second'));
  socket.destroy();
}, 60_000);

test.each([
  ['HEAD', 200, { 'Content-Length': '7' }, ''],
  ['GET', 304, { ETag: '"a"' }, ''],
  ['GET', 204, {}, ''],
  ['GET', 500, {}, 'failed'],
])('an answer to %s with the status %i passes', async (method, status, headers, body) => {
  const { host, at } = await publicServer((_, outgoing) => {
    outgoing.writeHead(status, headers);
    outgoing.end(body);
  });
  const answer = await visit({ at: at(), host, method });
  expect(answer).toMatchObject({ status, text: body });
  for (const [name, value] of Object.entries(headers)) expect(answer.headers[name.toLowerCase()]).toBe(value);
});

test('trailers pass both ways, but none that belongs before a body', async () => {
  const { host, at } = await publicServer(async (incoming, outgoing) => {
    for await (const _ of incoming);
    outgoing.writeHead(200, { Trailer: 'X-Sum' });
    outgoing.write('body');
    outgoing.addTrailers({ 'X-Sum': incoming.trailers['x-sum'] ?? 'none', 'Set-Cookie': 'a=b; Domain=localhost' });
    outgoing.end();
  });
  const text = await exchange(
    at(),
    `POST / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n1\r\na\r\n0\r\nX-Sum: 7\r\nCookie: a=b\r\n\r\n`,
  );
  expect(text).toContain('X-Sum: 7');
  expect(text.slice(text.indexOf('body'))).not.toMatch(/cookie/i);
});

test('a client that waits for 100 Continue may send its body', async () => {
  const { host, at } = await publicServer((incoming, outgoing) => void incoming.pipe(outgoing));
  const headers = { Expect: '100-continue', 'Content-Length': '4' };
  expect(await visit({ at: at(), host, method: 'POST', headers, body: 'body' })).toMatchObject({ text: 'body' });
});

test('a WebSocket passes bytes both ways, also those that come with its head, until either side closes it', async () => {
  const { host, at, server } = await publicServer((_, outgoing) => void outgoing.end());
  server.on('upgrade', (incoming, socket, head) => {
    socket.on('error', () => {});
    const cookies = 'Set-Cookie: ws=1; Domain=localhost\r\n';
    socket.write(
      `HTTP/1.1 101 Fine\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Key: ${incoming.headers['sec-websocket-key']}\r\n${cookies}\r\nhello `,
    );
    if (head.length > 0) socket.unshift(head);
    socket.pipe(socket);
  });
  for (const _ of [1, 2]) {
    const { status, head, socket, rest } = await upgrade({ at: at(), host, path: '/live' });
    expect(status).toBe(101);
    expect(head).toContain('X-Key: dGhlIHNhbXBsZSBub25jZQ==');
    expect(head).toMatch(/Set-Cookie: ws=1\r?$/m);
    let text = rest.toString();
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.resume();
    socket.write('and goodbye');
    await eventually(() => expect(text).toBe('hello and goodbye'));
    const closed = once(socket, 'close');
    socket.end();
    await closed;
  }
}, 60_000);

test('a server may refuse a WebSocket with an answer of its own', async () => {
  const { host, at } = await publicServer((_, outgoing) => {
    outgoing.writeHead(403, { 'X-Own': 'no' });
    outgoing.end('not here');
  });
  const { status, head, socket } = await upgrade({ at: at(), host });
  expect(status).toBe(403);
  expect(head).toContain('X-Own: no');
  socket.destroy();
});

test('a server in the sandbox itself is visited, and its port is closed before and after it listens', async () => {
  const { host: api, session, one, other } = replicas;
  const [free] = [await serveInSandbox(() => {})];
  const { port } = free;
  free.close();
  const opened = await replicas.open({ port, access: 'key' });
  const asked = { host: opened.host, headers: { 'X-API-Key': firstKey } };
  const refused = await visit({ at: other.url, ...asked });
  expect(refused.status).toBe(502);
  expect(JSON.parse(refused.text)).toMatchObject({ code: 'port-closed' });
  const waiting = visit({ at: other.url, ...asked, headers: { ...asked.headers, 'Holdfast-Wait-Seconds': '30' } });
  const code = `
import http.server, threading
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(('from the kernel ' + str(self.headers.get('X-API-Key'))).encode())
    def log_message(self, *rest): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', ${port}), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()`;
  expect(await api.runStep(session.id, { code })).toMatchObject({ status: 'succeeded' });
  expect((await waiting).text).toBe('from the kernel None');
  expect((await visit({ at: one.url, ...asked })).text).toBe('from the kernel None');
  await api.runStep(session.id, { code: 'server.shutdown(); server.server_close()' });
  expect((await visit({ at: one.url, ...asked })).status).toBe(502);
}, 60_000);

test('bytes are counted as they pass, and those of visitors keep the session from idling out', async () => {
  const { port, host, at, opened } = await publicServer((incoming, outgoing) => void incoming.pipe(outgoing));
  const before = new Date();
  await visit({ at: at(), host, method: 'POST', body: 'x'.repeat(5000) });
  await eventually(async () => {
    const { body } = await replicas.host.request('GET', `/v1/sessions/${replicas.session.id}/ports?limit=200`);
    const counted = body.items.find(({ id }: { id: string }) => id === opened.id);
    expect(counted).toMatchObject({ port, url: `http://${host}`, access: 'public' });
    expect(counted.receivedBytes).toBeGreaterThan(5000);
    expect(counted.sentBytes).toBeGreaterThan(5000);
  }, 30_000);
  const { body } = await replicas.host.request('GET', `/v1/sessions/${replicas.session.id}`);
  expect(new Date(body.lastActivityAt).getTime()).toBeGreaterThanOrEqual(before.getTime() - 15_000);
}, 60_000);
