import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { firstKey, serveInSandbox, startTwoReplicas, type TwoReplicas } from './two-replicas.ts';
import { upgrade, visit } from './visit.ts';

type Served = Awaited<ReturnType<typeof serveInSandbox>>;

let replicas: TwoReplicas;
let served: Served;
/** The headers of requests that reached the server. */
let reached: Record<string, unknown>[] = [];
/** The connections that were upgraded. */
const upgraded: Duplex[] = [];

beforeAll(async () => {
  replicas = await startTwoReplicas();
  served = await serveInSandbox((incoming, outgoing) => {
    reached.push({ ...incoming.headers, url: incoming.url });
    outgoing.end('reached');
  });
  served.server.on('upgrade', (_, socket: Duplex) => {
    upgraded.push(socket.on('error', () => {}));
    socket.write('HTTP/1.1 101 Fine\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.resume();
  });
  // Something is always open, so a refusal is one of the token.
  await replicas.open({ port: served.port, access: 'key' });
}, 120_000);
afterAll(async () => {
  served.close();
  await replicas[Symbol.asyncDispose]();
});

const path = (rest = '', id = replicas.session.id) => `/v1/sessions/${id}/ports${rest}`;
const auditOf = async (operation: string, id = replicas.session.id) =>
  (await replicas.host.request('GET', `/v1/sessions/${id}/audit?limit=200&operation=${operation}`)).body.items;

test('the token of a link moves from the address into a cookie of its host, and the server sees neither', async () => {
  const { url, token, host } = await replicas.open({ port: served.port, access: 'link', expiresSeconds: 600 });
  expect(url).toBe(`http://${host}/?holdfast_token=${token}`);
  for (const given of ['/', '/a/b', '//elsewhere.example/']) {
    const asked = `${given}?q=1&holdfast_token=${token}&r=%2F`;
    const moved = await visit({ at: replicas.other.url, host, path: asked });
    expect(moved.status).toBe(303);
    expect(moved.headers.location).toBe(`http://${host}${given}?q=1&r=%2F`);
    expect(moved.headers['referrer-policy']).toBe('no-referrer');
    const [cookie = '', ...more] = moved.headers['set-cookie'] ?? [];
    expect(more).toEqual([]);
    expect(cookie).toMatch(/^holdfast-port=hfp_[\w-]+; Path=\/; Max-Age=5\d\d; HttpOnly; SameSite=Lax$/);
    reached = [];
    const headers = { Cookie: `a=1; ${cookie.split(';')[0]}; b=2`, Authorization: 'Bearer of-the-app' };
    const answer = await visit({ at: replicas.one.url, host, path: `${given}?q=1&r=%2F`, headers });
    expect(answer.text).toBe('reached');
    expect(reached[0]).toMatchObject({ cookie: 'a=1; b=2', authorization: 'Bearer of-the-app' });
  }
  reached = [];
  const { socket, status } = await upgrade({ at: replicas.one.url, host, path: `/ws?holdfast_token=${token}` });
  expect(status).toBe(101);
  socket.destroy();
  await visit({ at: replicas.one.url, host, method: 'POST', path: `/p?holdfast_token=${token}`, body: 'x' });
  expect(reached).toMatchObject([{ url: '/p' }]);
}, 60_000);

test.each([
  ['key', {}],
  ['public', {}],
])('an API key does not reach the server of a port that is open to %s', async (access) => {
  const own = await serveInSandbox((incoming, outgoing) => {
    reached.push(incoming.headers);
    outgoing.end('reached');
  });
  onTestFinished(own.close);
  const { host } = await replicas.open({ port: own.port, access });
  for (const headers of [
    { Authorization: `Bearer ${firstKey}` },
    { 'X-API-Key': firstKey },
    { 'X-API-Key': '', Authorization: `Bearer ${firstKey}` },
    { 'X-API-Key': firstKey, Authorization: `Bearer ${firstKey}` },
    { 'X-API-Key': firstKey, 'Holdfast-Other': firstKey, 'X-Forwarded-For': firstKey, Connection: 'X-API-Key' },
  ] as Record<string, string>[]) {
    reached = [];
    expect((await visit({ at: replicas.one.url, host, headers })).text).toBe('reached');
    expect(JSON.stringify(reached)).not.toContain(firstKey);
  }
});

test('a port that is revoked is refused on every replica, and its connections end', async () => {
  const { id, token, host } = await replicas.open({ port: served.port, access: 'link' });
  // Two replicas, of which only one hears of the revocation.
  const sockets = await Promise.all(
    [replicas.one, replicas.other].map(async ({ url }) => {
      const { status, socket } = await upgrade({ at: url, host, headers: { Cookie: `holdfast-port=${token}` } });
      expect(status).toBe(101);
      return socket.on('error', () => {}).resume();
    }),
  );
  const closed = sockets.map((socket) => once(socket, 'close'));
  const ends = upgraded.slice(-2).map((socket) => once(socket, 'close').catch(() => {}));
  expect((await replicas.host.request('DELETE', path(`/${id}`))).status).toBe(204);
  expect((await visit({ at: replicas.one.url, host, headers: { Cookie: `holdfast-port=${token}` } })).status).toBe(401);
  await Promise.all([...closed, ...ends]);
  await eventually(async () => {
    const { status } = await visit({ at: replicas.other.url, host, headers: { Cookie: `holdfast-port=${token}` } });
    expect(status).toBe(401);
  });
  expect((await replicas.host.request('DELETE', path(`/${id}`))).status).toBe(204);
  expect(await auditOf('port.revoke')).toHaveLength(1);
  expect(await auditOf('port.open')).toContainEqual(
    expect.objectContaining({ arguments: expect.objectContaining({ portId: id, port: served.port, access: 'link' }) }),
  );
}, 60_000);

test('a connection ends with the time of its port', async () => {
  const { token, host } = await replicas.open({ port: served.port, access: 'link', expiresSeconds: 2 });
  const { socket, status } = await upgrade({
    at: replicas.other.url,
    host,
    headers: { Cookie: `holdfast-port=${token}` },
  });
  expect(status).toBe(101);
  await once(socket.on('error', () => {}).resume(), 'close');
  expect((await visit({ at: replicas.one.url, host, headers: { Cookie: `holdfast-port=${token}` } })).status).toBe(401);
}, 60_000);

test('the registry holds no token, and a changed row gives none a further right', async () => {
  const { id, token, host } = await replicas.open({ port: served.port, access: 'link' });
  const [row] = await replicas.database.db.sql`select * from ports where id = ${id}`;
  expect(JSON.stringify(row)).not.toContain(token?.slice(31));
  await replicas.database.db.sql`update ports set expires_at = expires_at + interval '1 hour' where id = ${id}`;
  await eventually(async () => {
    const { status } = await visit({ at: replicas.one.url, host, headers: { Cookie: `holdfast-port=${token}` } });
    expect(status).toBe(401);
  });
});

test('a repeated request opens one port, and only a key with the scope host opens one to others', async () => {
  const body = { port: served.port, access: 'link' };
  const ask = () => replicas.host.request('POST', path(), body, { 'Idempotency-Key': 'once' });
  const [first, second] = [await ask(), await ask()];
  expect(first.headers.get('location')).toBe(path(`/${first.body.id}`));
  expect(second.body).toEqual(first.body);
  const made = await replicas.host.request('POST', '/v1/api-keys', { tenant: 'default', scopes: ['run'] });
  const asRun = { authorization: `Bearer ${made.body.key}` };
  expect((await replicas.host.request('POST', path(), body, asRun)).status).toBe(403);
  expect((await replicas.host.request('POST', path(), { port: served.port }, asRun)).status).toBe(201);
});

test.each([
  [{ port: 0 }, 400],
  [{ port: 65_536 }, 400],
  [{ port: '80' }, 400],
  [{ port: 80, access: 'all' }, 400],
  [{ port: 80, expiresSeconds: 0 }, 400],
  [{}, 400],
])('refuses to open %j', async (body, status) => {
  expect((await replicas.host.request('POST', path(), body)).status).toBe(status);
});

test('a port can be opened once its server listens', async () => {
  const free = await serveInSandbox(() => {});
  free.close();
  const closed = await replicas.host.request('POST', path(), { port: free.port, waitSeconds: 0 });
  expect(closed).toMatchObject({ status: 502, body: { code: 'port-closed' } });
  const listening = await replicas.host.request('POST', path(), { port: served.port, waitSeconds: 5 });
  expect(listening.status).toBe(201);
});

test('a policy closes the ports of its session', async () => {
  const session = await replicas.host.createSession({ policy: { deniedOperations: ['port.*'] } });
  const denied = await replicas.host.request('POST', path('', session.id), { port: served.port });
  expect(denied).toMatchObject({ status: 403, body: { code: 'policy-denied' } });
  expect(await auditOf('port.open', session.id)).toMatchObject([{ decision: 'denied' }]);
  const loosened = await replicas.host.request('PATCH', `/v1/sessions/${session.id}`, { policy: 'unrestricted' });
  expect(loosened.status).toBe(200);
  const { host } = await replicas.open({ port: served.port, access: 'public' }, { sessionId: session.id });
  expect((await visit({ at: replicas.one.url, host })).status).toBe(200);
  const rules = { policy: { deniedOperations: ['port.open'] } };
  expect((await replicas.host.request('PATCH', `/v1/sessions/${session.id}`, rules)).status).toBe(200);
  await eventually(async () => expect((await visit({ at: replicas.one.url, host })).status).toBe(403));
  await replicas.host.deleteSession(session.id);
  await eventually(async () => expect((await visit({ at: replicas.one.url, host })).status).toBe(404));
}, 60_000);

test('a session that is paused or has ended says so to its visitors, and a visit does not resume it', async () => {
  const session = await replicas.host.createSession();
  const { host } = await replicas.open({ port: served.port, access: 'public' }, { sessionId: session.id });
  const openOnce = () =>
    replicas.host.request('POST', path('', session.id), { port: 1 }, { 'Idempotency-Key': 'before-the-pause' });
  const first = await openOnce();
  expect(first.status).toBe(201);
  const { socket } = await upgrade({ at: replicas.other.url, host });
  const cut = once(socket.on('error', () => {}).resume(), 'close');
  expect((await replicas.host.request('POST', `/v1/sessions/${session.id}/pause`)).status).toBe(200);
  await cut;
  expect(await openOnce()).toMatchObject({ status: 201, body: first.body });
  const paused = await visit({ at: replicas.other.url, host, headers: { Accept: 'text/html,*/*' } });
  expect(paused.status).toBe(409);
  expect(paused.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(paused.text).toContain('The session is paused');
  expect((await replicas.host.request('POST', `/v1/sessions/${session.id}/resume`)).status).toBe(200);
  // The other replica still has the way to the sandbox of before.
  expect((await visit({ at: replicas.other.url, host })).text).toBe('reached');
  expect((await replicas.host.request('POST', `/v1/sessions/${session.id}/complete`)).status).toBe(200);
  for (const { url } of [replicas.one, replicas.other]) {
    const ended = await visit({ at: url, host });
    expect(ended).toMatchObject({ status: 410 });
    expect(JSON.parse(ended.text)).toMatchObject({ code: 'session-ended' });
  }
}, 120_000);
