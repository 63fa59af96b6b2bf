import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { eventually } from '../support/eventually.ts';
import { startTwoReplicas, type TwoReplicas } from './two-replicas.ts';
import { exchange, type Visit, visit } from './visit.ts';

let replicas: TwoReplicas;
beforeAll(async () => {
  replicas = await startTwoReplicas();
}, 120_000);
afterAll(() => replicas[Symbol.asyncDispose]());

/** Opens the port of a server to everyone. */
async function open(port: number) {
  const { host } = await replicas.open({ port, access: 'public' });
  return { host, get: (more: Partial<Visit> = {}) => visit({ at: replicas.one.url, host, ...more }) };
}

async function listen(server: Server | ReturnType<typeof createPlainServer>, address: string): Promise<number> {
  await once(server.listen(0, address), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const serve = async (listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void, address = '127.0.0.1') =>
  open(await listen(createServer(listener), address));

/** A server that answers the head of each request with these bytes. */
async function servePlain(answer: (socket: Socket, head: string) => void) {
  const server = createPlainServer((socket) => {
    let head = '';
    socket.on('error', () => {}).setEncoding('latin1');
    socket.on('data', (text) => {
      head += text;
      if (head.includes('\r\n\r\n')) answer(socket, head);
    });
  });
  return open(await listen(server, '127.0.0.1'));
}

test.each(['127.0.0.1', '0.0.0.0', '::1', '::'])('a server that is bound to %s is visited', async (address) => {
  const { get } = await serve((_, outgoing) => void outgoing.end('reached'), address);
  expect((await get()).text).toBe('reached');
});

test.each([
  ['HTTP/1.0 that closes', 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold', true],
  ['HTTP/1.1 that closes', 'HTTP/1.1 200 OK\r\n\r\nold', true],
  ['HTTP/1.1 that keeps the connection', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold', false],
  ['HTTP/1.1 that says no reason', 'HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\nold', false],
  [
    'early hints before it',
    'HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold',
    false,
  ],
])('an answer in %s passes', async (_, bytes, ends) => {
  const { get } = await servePlain((socket) => (ends ? socket.end(bytes) : socket.write(bytes)));
  expect(await get()).toMatchObject({ status: 200, text: 'old' });
});

test.each([
  ['nothing', ''],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  [
    'a length and an encoding',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nold\r\n0\r\n\r\n',
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nold!'],
  ['an upgrade that was not asked for', 'HTTP/1.1 101 Fine\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['a head without end', `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(70_000)}\r\n\r\n`],
])('a server that answers with %s gives a problem', async (_, bytes) => {
  const { get } = await servePlain((socket) => void socket.end(bytes));
  const answer = await get();
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([502, 'sandbox-failed']);
});

test('an answer that is cut is not taken for a whole one', async () => {
  const { get } = await servePlain((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nold'));
  await expect(get()).rejects.toThrow('aborted');
});

test('a part of a file passes as the server gives it', async () => {
  const { get } = await serve((incoming, outgoing) => {
    expect(incoming.headers).toMatchObject({ range: 'bytes=2-4', 'if-range': '"v1"' });
    outgoing.writeHead(206, { 'Content-Range': 'bytes 2-4/10', 'Content-Length': '3' }).end('234');
  });
  const answer = await get({ headers: { Range: 'bytes=2-4', 'If-Range': '"v1"' } });
  expect(answer).toMatchObject({ status: 206, text: '234', headers: { 'content-range': 'bytes 2-4/10' } });
});

test('a compressed answer passes as the server compressed it', async () => {
  const bytes = Buffer.from('1f8b08000000000000034b040043beb7e801000000', 'hex');
  const { get } = await serve((_, outgoing) => void outgoing.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bytes));
  const answer = await get({ headers: { 'Accept-Encoding': 'gzip' } });
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(answer.body.equals(bytes)).toBe(true);
});

test('a server that serves one connection at a time serves many visitors', async () => {
  const program = `
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Length', '2')
        self.end_headers()
        self.wfile.write(b'ok')
    def log_message(self, *rest): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Page)
print(server.server_address[1], flush=True)
server.serve_forever()`;
  const child = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [line] = await once(child.stdout, 'data');
  const { get } = await open(Number(String(line)));
  const answers = await Promise.all(Array.from({ length: 20 }, () => get()));
  expect(answers.map(({ text }) => text)).toEqual(Array(20).fill('ok'));
});

test('messages of a compressed WebSocket pass whole, from one byte to a megabyte', async () => {
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: { threshold: 0 } });
  server.on('connection', (socket) =>
    socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary })),
  );
  const { host } = await open(await listen(http, '127.0.0.1'));
  const { port } = new URL(replicas.other.url);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, ['vite-hmr'], {
    headers: { Host: host },
    perMessageDeflate: { threshold: 0 },
  });
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  expect([socket.extensions, socket.protocol]).toEqual(['permessage-deflate', 'vite-hmr']);
  for (const size of [1, 125, 126, 65_535, 65_536, 2 ** 20]) {
    const sent = Buffer.alloc(size, `${size} bytes `);
    socket.send(sent);
    const [got] = await once(socket, 'message');
    expect(sent.equals(got)).toBe(true);
  }
  const closed = once(socket, 'close');
  socket.close(4001, 'enough');
  expect(await closed).toEqual([4001, Buffer.from('enough')]);
});

test('a refused upgrade does not keep the connection of a visitor that goes on', async () => {
  const { get: _, host } = await serve((_, outgoing) => void outgoing.writeHead(403).end('no'));
  const { hostname, port } = new URL(replicas.one.url);
  const visitor = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => {});
  onTestFinished(() => void visitor.destroy());
  visitor.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  const [answer] = await once(visitor, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 403 /);
  await eventually(() => {
    visitor.write('x');
    expect(visitor.destroyed).toBe(true);
  }, 10_000);
});

test('a visitor that leaves ends its request at the server', async () => {
  const left = Promise.withResolvers<void>();
  const { host } = await serve((incoming, outgoing) => {
    outgoing.writeHead(200).write('first');
    incoming.socket.once('close', () => left.resolve());
  });
  const { hostname, port } = new URL(replicas.one.url);
  const visitor = connect({ host: hostname, port: Number(port) }).on('error', () => {});
  visitor.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(visitor, 'data');
  visitor.destroy();
  await left.promise;
});

test('a server that reads slowly holds back an upload, which costs the replica no memory', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let taken = 0;
  const gate = Promise.withResolvers<void>();
  const { get } = await serve(async (incoming, outgoing) => {
    await gate.promise;
    for await (const piece of incoming) taken += piece.length;
    outgoing.end(String(taken));
  });
  let made = 0;
  const body = Readable.from(
    (function* () {
      for (; made < 1024; made++) yield chunk;
    })(),
  );
  const answer = get({ method: 'PUT', headers: { 'Transfer-Encoding': 'chunked' }, body });
  let before = -1;
  await eventually(() => {
    const isStill = made === before && made > 0;
    before = made;
    expect(isStill).toBe(true);
  });
  // The sockets of five processes hold some of the 64 MiB.
  expect(made).toBeLessThan(512);
  gate.resolve();
  expect((await answer).text).toBe(String(1024 * chunk.length));
}, 60_000);

test('requests that come together are answered one by one', async () => {
  const seen: string[] = [];
  const { host } = await serve((incoming, outgoing) => {
    seen.push(incoming.url ?? '');
    incoming.resume().on('end', () => outgoing.end(incoming.url));
  });
  const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
  const text = await exchange(replicas.one.url, `${one('/a')}${one('/b')}${one('/c', 'Connection: close\r\n')}`);
  expect(text.match(/\r\n\r\n\/[abc]/g)).toEqual(['/a', '/b', '/c'].map((path) => `\r\n\r\n${path}`));
  expect(seen.toSorted()).toEqual(['/a', '/b', '/c']);
});
