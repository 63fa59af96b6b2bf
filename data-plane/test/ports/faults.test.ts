import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serveInSandbox, startTwoReplicas, type TwoReplicas } from './two-replicas.ts';
import { upgrade, visit } from './visit.ts';

let replicas: TwoReplicas;
let served: Awaited<ReturnType<typeof serveInSandbox>>;
/** The connections of the server that were upgraded. */
const upgraded: Duplex[] = [];

beforeAll(async () => {
  replicas = await startTwoReplicas();
  served = await serveInSandbox((_, outgoing) => void outgoing.end('reached'));
  served.server.on('upgrade', (_, socket: Duplex) => {
    upgraded.push(socket.on('error', () => {}));
    socket.write('HTTP/1.1 101 Fine\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.pipe(socket);
  });
}, 120_000);
afterAll(async () => {
  served.close();
  await replicas[Symbol.asyncDispose]();
});

const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

async function newSession(body: object = {}) {
  const session = await replicas.host.createSession(body);
  const { host, id } = await replicas.open({ port: served.port, access: 'public' }, { sessionId: session.id });
  const step = await replicas.host.runStep(session.id, { code: 'import os; os.getppid()' });
  return { id: session.id, portId: id, host, agent: Number(step.results[0]?.data['text/plain']) };
}

/** An open connection, and its end. */
async function connectTo(at: string, host: string) {
  const { status, socket } = await upgrade({ at, host });
  expect(status).toBe(101);
  const closed = once(socket.on('error', () => {}).resume(), 'close');
  return { socket, closed };
}

/** A server of a sandbox in a process of its own. */
async function spawnServer(): Promise<{ child: ChildProcess; port: number }> {
  const program = `
import http.server, time
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Length', '4')
        self.end_headers()
        self.wfile.write(b'ab')
        if self.path == '/slow': time.sleep(600)
        self.wfile.write(b'cd')
    def log_message(self, *rest): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Page)
print(server.server_address[1], flush=True)
server.serve_forever()`;
  const child = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { child, port: Number(String(line)) };
}

test('a server that is frozen lets its visitors wait, and those that leave take nothing with them', async () => {
  const { child, port } = await spawnServer();
  const { host } = await replicas.open({ port, access: 'public' });
  const { url: at, pid } = replicas.one;
  expect((await visit({ at, host })).text).toBe('abcd');
  const before = descriptors(pid);
  child.kill('SIGSTOP');
  const { hostname, port: own } = new URL(at);
  const waiting = Array.from({ length: 100 }, () => {
    const visitor = connect({ host: hostname, port: Number(own) }).on('error', () => {});
    visitor.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    return visitor;
  });
  await eventually(() => expect(descriptors(pid)).toBeGreaterThan(before + 150));
  for (const visitor of waiting) visitor.destroy();
  await eventually(() => expect(descriptors(pid)).toBeLessThan(before + 10));
  child.kill('SIGCONT');
  expect((await visit({ at, host })).text).toBe('abcd');
}, 60_000);

test('a server that is killed cuts its answers, and its port is closed', async () => {
  const { child, port } = await spawnServer();
  const { host } = await replicas.open({ port, access: 'public' });
  const headers = { Connection: 'keep-alive', Upgrade: 'none' };
  const { socket, rest, status } = await upgrade({ at: replicas.one.url, host, path: '/slow', headers });
  expect(status).toBe(200);
  let body = rest.toString();
  const closed = once(
    socket.on('error', () => {}),
    'close',
  );
  socket.on('data', (chunk) => {
    body += chunk;
  });
  socket.resume();
  await eventually(() => expect(body).toBe('ab'));
  child.kill('SIGKILL');
  // Two of four bytes: the visitor knows that the rest is missing, since the connection would else be kept.
  await closed;
  expect(body).toBe('ab');
  await eventually(async () => expect((await visit({ at: replicas.one.url, host })).status).toBe(502));
});

test('a thousand connections at once are bounded for their session, and others are let in', async () => {
  const [many, other] = [await newSession(), await newSession()];
  const { url: at, pid } = replicas.one;
  const before = descriptors(pid);
  const all = await Promise.all(Array.from({ length: 1000 }, () => upgrade({ at, host: many.host })));
  const statuses = Map.groupBy(all, ({ status }) => status);
  expect([...statuses.keys()].toSorted()).toEqual([101, 429]);
  expect(statuses.get(101)).toHaveLength(128);
  expect((await visit({ at, host: other.host })).text).toBe('reached');
  // Another replica has a bound of its own, and the agent one for both.
  expect((await visit({ at: replicas.other.url, host: many.host })).text).toBe('reached');
  for (const { socket } of all) socket.on('error', () => {}).destroy();
  await eventually(async () => expect((await visit({ at, host: many.host })).text).toBe('reached'));
  await eventually(() => expect(descriptors(pid)).toBeLessThan(before + 20));
}, 60_000);

test('a frozen agent does not hold its visitors for ever, and serves them when it goes on', async () => {
  const { host, agent } = await newSession();
  const { url: at } = replicas.one;
  const { socket } = await connectTo(at, host);
  process.kill(agent, 'SIGSTOP');
  onTestFinished(() => void process.kill(agent, 'SIGCONT'));
  const refused = await visit({ at, host });
  expect(refused.status, refused.text).toBe(503);
  process.kill(agent, 'SIGCONT');
  await eventually(async () => expect((await visit({ at, host })).text).toBe('reached'));
  // The connection of before has lost nothing.
  socket.write('still here');
  const [echo] = await once(socket, 'data');
  expect(String(echo)).toBe('still here');
}, 60_000);

test('the connections of an agent that is killed end, and its port leads to the next sandbox', async () => {
  const { host, agent } = await newSession({ recovery: 'auto' });
  const [one, other] = [await connectTo(replicas.one.url, host), await connectTo(replicas.other.url, host)];
  process.kill(agent, 'SIGKILL');
  await Promise.all([one.closed, other.closed]);
  for (const { url: at } of [replicas.one, replicas.other])
    await eventually(async () => expect((await visit({ at, host })).text).toBe('reached'), 45_000);
}, 120_000);

test('a replica that slept admits no visitor to a port that was revoked meanwhile', async () => {
  const { host, id, portId } = await newSession();
  const { url: at, pid } = replicas.other;
  const { closed } = await connectTo(at, host);
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  const { status } = await replicas.host.request('DELETE', `/v1/sessions/${id}/ports/${portId}`);
  expect(status).toBe(204);
  // As long as a replica believes what it has read.
  await replicas.database.db.sql`select pg_sleep(2.1)`;
  process.kill(pid, 'SIGCONT');
  expect((await visit({ at, host })).status).toBe(404);
  await closed;
}, 60_000);

test('a replica that is killed takes its connections with it and not the bytes that it has recorded', async () => {
  const { host, id } = await newSession();
  const { socket, closed } = await connectTo(replicas.other.url, host);
  const connection = upgraded.at(-1) as Duplex;
  socket.write('x'.repeat(10_000));
  const received = async () => {
    const { body } = await replicas.host.request('GET', `/v1/sessions/${id}/ports`);
    return body.items[0].receivedBytes;
  };
  await eventually(async () => expect(await received()).toBeGreaterThan(10_000), 20_000);
  const ended = once(connection, 'close');
  process.kill(replicas.other.pid, 'SIGKILL');
  await Promise.all([closed, ended]);
  expect(await received()).toBeGreaterThan(10_000);
  expect((await visit({ at: replicas.one.url, host })).text).toBe('reached');
}, 60_000);
