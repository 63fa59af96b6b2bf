import { once } from 'node:events';
import { connect } from 'node:net';
import { type ChannelNotice, startProcessSchema } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createApp } from '../../src/http/create-app.ts';
import { type ServedApp, serveApp } from '../../src/http/edge/serve-app.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';
import { createScriptedProcesses } from './scripted-processes.ts';

let database: TestDatabase;
let cluster: ScriptedCluster;
let replica: TestReplica;
let served: ServedApp;
let agent: ReturnType<typeof createScriptedProcesses>;

const serve = (options: { heartbeatMs?: number } = {}) => {
  const { verbs, log, metrics, addOpenRequest } = replica;
  const app = createApp({ verbs, log, metrics, addOpenRequest, agentAuthBypassed: true, ...options });
  return serveApp(app, { host: '127.0.0.1', port: 0 });
};

beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  cluster = createScriptedCluster();
  replica = await startReplica({ address: database.address, runtime: cluster.runtime([]) });
  served = await serve();
});
beforeEach(() => {
  agent = createScriptedProcesses();
  cluster.answering = agent.answering;
});
afterAll(async () => {
  await served.close({ graceMs: 100 });
  await replica.stop();
  await cluster.close();
  await database.drop();
});

const caller = { tenant: 'default', scopes: new Set(['run', 'host'] as const), keyId: null };

async function running(body: object = {}) {
  const { id: sessionId } = await replica.createSession({}, { tenant: caller.tenant });
  const request = startProcessSchema.parse({ command: ['sh'], stdin: true, ...body });
  const { id } = await replica.verbs.startProcess({ caller, sessionId, request });
  return { sessionId, id, process: agent.get(id), path: `/v1/sessions/${sessionId}/processes/${id}/channel` };
}

/** A client that counts its place as the description says. */
async function open(path: string, { url } = served) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
  const notices: ChannelNotice[] = [];
  const client = { socket, notices, bytes: Buffer.alloc(0), at: 0 };
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      client.bytes = Buffer.concat([client.bytes, data]);
      client.at += data.length;
      return;
    }
    const notice = JSON.parse(data.toString()) as ChannelNotice;
    notices.push(notice);
    if ('seq' in notice) client.at = notice.seq;
  });
  await once(socket, 'open');
  return client;
}

test('a channel carries bytes both ways, sizes and signals, and closes after the end', async () => {
  const { process, path } = await running({ terminal: { columns: 80, rows: 24 } });
  const client = await open(path);
  client.socket.send(Buffer.from([0, 255]));
  client.socket.send(JSON.stringify({ type: 'resize', columns: 100, rows: 30 }));
  client.socket.send(JSON.stringify({ type: 'signal', signal: 'SIGINT' }));
  client.socket.send(JSON.stringify({ type: 'resize', columns: 0, rows: 30 }));
  client.socket.send('not JSON');
  client.socket.send(JSON.stringify({ type: 'other' }));
  process.write('stdout', Buffer.from([1, 254]));
  await eventually(() =>
    expect(client.notices.flatMap((notice) => (notice.type === 'problem' ? [notice.problem] : []))).toEqual([
      expect.objectContaining({ errors: [{ pointer: '/columns', detail: 'must be at least 1' }] }),
      expect.objectContaining({ detail: 'a text on a channel must be JSON; send input as binary' }),
      expect.objectContaining({
        errors: [
          { pointer: '/type', detail: 'must be one of "resize", "signal", "end", "pause-output", "resume-output"' },
        ],
      }),
    ]),
  );
  expect([process.input, process.sizes, process.signals]).toEqual([
    [Buffer.from([0, 255])],
    [{ columns: 100, rows: 30 }],
    ['SIGINT'],
  ]);
  process.end({ exitCode: 2 });
  const [code] = await once(client.socket, 'close');
  expect(code).toBe(1000);
  expect(client.bytes).toEqual(Buffer.from([1, 254]));
  expect(client.notices[0]).toMatchObject({ type: 'opened', process: { status: 'running' } });
  expect(client.notices.at(-1)).toMatchObject({ type: 'finished', process: { status: 'exited', exitCode: 2 } });
});

test('a channel closes with a code if the process does not read its input, and passes on nothing behind what was lost', async () => {
  const { process, path } = await running();
  process.roomBytes = 3;
  const client = await open(path);
  for (const text of ['ab', 'cde', 'f']) client.socket.send(Buffer.from(text));
  const [code] = await once(client.socket, 'close');
  expect(code).toBe(4001);
  expect(client.notices.at(-1)).toEqual({ type: 'unread', bytes: 2 });
  expect(Buffer.concat(process.input).toString()).toBe('abc');
});

test('a channel closes if its input may not have arrived, and stays open if the process takes none', async () => {
  const { process, path } = await running();
  process.isSilent = true;
  const client = await open(path);
  for (const text of ['ab', 'c']) client.socket.send(Buffer.from(text));
  const [code] = await once(client.socket, 'close');
  expect(code).toBe(1011);
  expect(client.notices.filter(({ type }) => type === 'problem')).toHaveLength(1);
  const closed = await running({ stdin: false });
  const reader = await open(closed.path);
  for (const text of ['ab', 'c']) reader.socket.send(Buffer.from(text));
  await eventually(() => expect(reader.notices.filter(({ type }) => type === 'problem')).toHaveLength(2));
  closed.process.write('stdout', 'still');
  await eventually(() => expect(reader.bytes.toString()).toBe('still'));
  reader.socket.terminate();
});

test('a command with an id is answered with it, whether it is done or refused', async () => {
  const { process, path } = await running();
  const client = await open(path);
  client.socket.send(JSON.stringify({ type: 'signal', signal: 'SIGINT', id: 7 }));
  client.socket.send(JSON.stringify({ type: 'resize', columns: 100, rows: 30, id: 8 }));
  client.socket.send(JSON.stringify({ type: 'resize', columns: 0, rows: 30, id: 9 }));
  await eventually(() =>
    expect(client.notices.slice(1)).toEqual([
      { type: 'done', id: 7 },
      { type: 'problem', id: 8, problem: expect.objectContaining({ code: 'no-terminal' }) },
      { type: 'problem', id: 9, problem: expect.objectContaining({ code: 'invalid-request' }) },
    ]),
  );
  expect(process.signals).toEqual(['SIGINT']);
  client.socket.terminate();
});

test('a client that has asked for a pause gets no output, and its input still arrives', async () => {
  const { process, path } = await running();
  const client = await open(path);
  client.socket.send(JSON.stringify({ type: 'pause-output' }));
  client.socket.send(JSON.stringify({ type: 'signal', signal: 'SIGINT', id: 1 }));
  await eventually(() => expect(client.notices).toContainEqual({ type: 'done', id: 1 }));
  process.write('stdout', 'abc');
  client.socket.send(Buffer.from('in'));
  await eventually(() => expect(Buffer.concat(process.input).toString()).toBe('in'));
  process.end();
  client.socket.send(JSON.stringify({ type: 'signal', signal: 'SIGINT', id: 2 }));
  await eventually(() => expect(client.notices).toContainEqual(expect.objectContaining({ id: 2 })));
  expect(client.bytes.toString()).toBe('');
  const closed = once(client.socket, 'close');
  client.socket.send(JSON.stringify({ type: 'resume-output' }));
  await closed;
  expect(client.bytes.toString()).toBe('abc');
});

test('a channel without output says again and again that it is alive', async () => {
  const beating = await serve({ heartbeatMs: 20 });
  const { path } = await running();
  const client = await open(path, beating);
  await eventually(() => expect(client.notices.filter(({ type }) => type === 'alive').length).toBeGreaterThan(2));
  client.socket.terminate();
  await beating.close({ graceMs: 100 });
});

test('a client that reconnects behind its last byte misses none and gets none twice', async () => {
  const { process, path } = await running();
  process.write('stdout', 'abc');
  process.write('stderr', 'def');
  const first = await open(path);
  await eventually(() => expect(first.bytes.toString()).toBe('abcdef'));
  first.socket.terminate();
  process.write('stdout', 'ghi');
  process.end();
  const second = await open(`${path}?after=${first.at - 2}`);
  await once(second.socket, 'close');
  expect(second.bytes.toString()).toBe('efghi');
});

test('a client that reads nothing makes the process wait, and the memory for it is bounded', async () => {
  const { process, path } = await running();
  const { hostname, port } = new URL(served.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`);
  socket.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n');
  await once(socket, 'readable');
  const piece = Buffer.alloc(256 * 1024);
  for (let i = 0; i < 200; i++) process.write('stdout', piece);
  await eventually(() => expect(agent.waitingBytes()).toBeGreaterThan(20 * 2 ** 20));
  socket.destroy();
  process.end();
});

/** The status of the answer to a request for an upgrade. */
async function attempt(path: string, headers: Record<string, string> = {}): Promise<string> {
  const { hostname, port } = new URL(served.url);
  const socket = connect(Number(port), hostname);
  const given = {
    Host: '127.0.0.1',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    ...headers,
  };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [chunk] = await once(socket, 'data');
  socket.destroy();
  return String(chunk).split('\r\n')[0]?.split(' ')[1] ?? '';
}

test('an upgrade that is not allowed is answered as any other request', async () => {
  const { sessionId, path } = await running();
  const share = async (access: 'watch' | 'run') =>
    (await replica.verbs.createShare({ caller, sessionId, request: { access, expiresSeconds: 60 } })).token;
  const other = await running();
  expect(await attempt(path)).toBe('101');
  expect(await attempt(`${path}?token=${await share('run')}`)).toBe('101');
  expect(await attempt(`${path}?token=${await share('watch')}`)).toBe('403');
  expect(await attempt(`${other.path}?token=${await share('run')}`)).toBe('403');
  expect(await attempt(`${path}?token=nothing`)).toBe('401');
  expect(await attempt(path, { Authorization: 'Bearer wrong' })).toBe('401');
  expect(await attempt(path, { Origin: 'https://elsewhere.example' })).toBe('403');
  expect(await attempt(path.replace(/.$/, 'z').replace('/channez', '/channel').replace(/prc_./, 'prc_7'))).toBe('404');
  expect(await attempt(`${path}?after=-1`)).toBe('400');
  expect(await attempt(path, { 'Content-Length': '1' })).toBe('400');
  expect(await attempt(path, { Upgrade: 'h2c' })).toBe('400');
  expect(await attempt('/v1/sessions')).toBe('200');
});

test('a handshake that is none is refused, and not audited as an open channel', async () => {
  const { sessionId, path } = await running();
  expect(await attempt(path, { 'Sec-WebSocket-Key': 'short' })).toBe('400');
  expect(await attempt(path, { 'Sec-WebSocket-Version': '7' })).toBe('400');
  expect(await attempt(path, { 'Sec-WebSocket-Protocol': 'a,,b' })).toBe('400');
  const entries = () => replica.db.sql`
    select from audit_entries where operation = 'process.channel' and session_id = ${sessionId}`;
  expect(await entries()).toHaveLength(0);
  expect(await attempt(path, { 'Sec-WebSocket-Protocol': 'tty, x.y' })).toBe('101');
  expect(await entries()).toHaveLength(1);
});

test('a channel ends when its share link is revoked', async () => {
  const { sessionId, path } = await running();
  const link = await replica.verbs.createShare({ caller, sessionId, request: { access: 'run', expiresSeconds: 60 } });
  const client = await open(`${path}?token=${link.token}`);
  const closed = once(client.socket, 'close');
  await replica.verbs.revokeShare({ caller, sessionId, shareId: link.id });
  await closed;
  const entries = await replica.db.sql`
    select actor from audit_entries where operation = 'process.channel' and session_id = ${sessionId}`;
  expect(entries).toEqual([{ actor: 'user' }]);
});
