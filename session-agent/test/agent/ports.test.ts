import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { tunnelProtocol } from '@holdfast/specs/agent';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
}, 30_000);
afterAll(() => agent[Symbol.asyncDispose]());

/** A server on this machine's loopback, which is the sandbox's as well. */
async function server(onConnection: (socket: Socket) => void, host = '127.0.0.1', port = 0): Promise<number> {
  const listening: Server = createServer({ allowHalfOpen: true }, onConnection);
  listening.listen(port, host);
  await once(listening, 'listening');
  onTestFinished(() => void listening.close());
  return (listening.address() as AddressInfo).port;
}

const echo = (socket: Socket) => void socket.pipe(socket).on('error', () => {});

async function unusedPort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  listening.close();
  await once(listening, 'close');
  return port;
}

type Asked = { port: number | string; query?: string; headers?: Record<string, string>; of?: AgentUnderTest };
type Answered = { status: number; code?: string; tunnel?: Duplex };

async function connect({ port, query = '', headers = {}, of = agent }: Asked): Promise<Answered> {
  const outgoing = request(`${of.url}/v1/ports/${port}${query}`, {
    headers: { authorization: `Bearer ${of.token}`, connection: 'upgrade', upgrade: tunnelProtocol, ...headers },
    createConnection: () => dial({ host: '127.0.0.1', port: Number(new URL(of.url).port), allowHalfOpen: true }),
  });
  outgoing.end();
  return await new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('upgrade', (answer: IncomingMessage, tunnel: Duplex, head: Buffer) => {
      tunnel.unshift(head);
      tunnel.on('error', () => {});
      resolve({ status: answer.statusCode ?? 0, tunnel });
    });
    outgoing.once('response', async (answer: IncomingMessage) => {
      const body = await text(answer);
      resolve({ status: answer.statusCode ?? 0, code: body ? JSON.parse(body).code : undefined });
    });
  });
}

async function connected(asked: Asked): Promise<Duplex> {
  const { status, tunnel } = await connect(asked);
  expect(status).toBe(101);
  onTestFinished(() => void tunnel?.destroy());
  return tunnel as Duplex;
}

test.each(['127.0.0.1', '::1'])('passes bytes both ways to a server on %s', async (host) => {
  const tunnel = await connected({ port: await server(echo, host) });
  tunnel.end('\0\r\n\xff'.repeat(100_000), 'latin1');
  const chunks: Buffer[] = [];
  for await (const chunk of tunnel) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString('latin1')).toBe('\0\r\n\xff'.repeat(100_000));
});

test('each side can end its way and still hear the other', async () => {
  const heard: string[] = [];
  const port = await server(async (socket) => {
    socket.on('error', () => {});
    socket.end('goodbye');
    heard.push(await text(socket));
  });
  const tunnel = await connected({ port });
  expect(await text(tunnel)).toBe('goodbye');
  tunnel.end('after the end');
  await until('the server to hear the rest', () => heard.includes('after the end'));
});

test('a server that writes much is stopped while its visitor takes nothing', async () => {
  let written = 0;
  const port = await server((socket) => {
    socket.on('error', () => {});
    const go = () => {
      while (written < 200_000_000 && socket.write(Buffer.alloc(65_536))) written += 65_536;
    };
    socket.on('drain', go);
    go();
  });
  const tunnel = await connected({ port });
  tunnel.pause();
  let seen = -1;
  await until('the server to be stopped', () => {
    const isStill = written === seen && written > 0;
    seen = written;
    return isStill;
  });
  expect(written).toBeLessThan(100_000_000);
});

test('answers at once that nothing listens, or waits until something does', async () => {
  const port = await unusedPort();
  expect(await connect({ port })).toMatchObject({ status: 502, code: 'port-closed' });
  const waiting = connect({ port, query: '?waitSeconds=20' });
  const asked = fetch(`${agent.url}/v1/ports/${port}?waitSeconds=20`, {
    headers: { authorization: `Bearer ${agent.token}` },
  });
  await server(echo, '127.0.0.1', port);
  const { status, tunnel } = await waiting;
  expect(status).toBe(101);
  tunnel?.destroy();
  expect((await asked).status).toBe(204);
});

test.each([
  ['the port of the agent itself', () => ({ port: new URL(agent.url).port }), 502, 'port-closed'],
  ['port 0', () => ({ port: 0 }), 400, 'invalid-request'],
  ['a port that is too high', () => ({ port: 65_536 }), 400, 'invalid-request'],
  ['a port that is no number', () => ({ port: 'http' }), 400, 'invalid-request'],
  ['an endless wait', () => ({ port: 1, query: '?waitSeconds=600' }), 400, 'invalid-request'],
  ['a body', () => ({ port: 1, headers: { 'content-length': '0' } }), 400, 'invalid-request'],
  ['another path', () => ({ port: '1/2' }), 404, 'not-found'],
  ['no token', () => ({ port: 1, headers: { authorization: '' } }), 401, 'unauthenticated'],
])('refuses a connection to %s', async (_, asked, status, code) => {
  expect(await connect(asked())).toMatchObject({ status, code });
});

test('a request without an upgrade says whether a server listens', async () => {
  const ask = async (port: number) =>
    (await fetch(`${agent.url}/v1/ports/${port}`, { headers: { authorization: `Bearer ${agent.token}` } })).status;
  expect(await ask(await server(echo))).toBe(204);
  expect(await ask(await unusedPort())).toBe(502);
});

test('so many connections and no more are open at a time', async () => {
  await using of = await startAgent();
  const port = await server(echo);
  const open: Duplex[] = [];
  for (let at = 0; at < 256; at++) open.push(await connected({ port, of }));
  expect(await connect({ port, of })).toMatchObject({ status: 429, code: 'quota-exceeded' });
  open.pop()?.destroy();
  await until('a place to be free', async () => (await connect({ port, of })).status === 101);
});

test('a fence ends the connections and lets no other in, and the agent stops although one is open', async () => {
  await using fenced = await startAgent();
  const port = await server(echo);
  const tunnel = await connected({ port, of: fenced });
  const closed = new Promise((resolve) => tunnel.once('close', resolve));
  await fetch(`${fenced.url}/v1/fence`, { method: 'POST', headers: { authorization: `Bearer ${fenced.token}` } });
  await closed;
  expect(await connect({ port, of: fenced })).toMatchObject({ status: 410, code: 'session-ended' });
  await using stopped = await startAgent();
  await connected({ port, of: stopped });
  stopped.signal('SIGTERM');
  expect((await stopped.exited).code).toBe(0);
});
