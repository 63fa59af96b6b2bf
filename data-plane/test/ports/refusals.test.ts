import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { raw, smuggledRequests } from './smuggled-requests.ts';
import { firstKey, serveInSandbox, startTwoReplicas, type TwoReplicas } from './two-replicas.ts';
import { exchange, upgrade, visit } from './visit.ts';

type Served = Awaited<ReturnType<typeof serveInSandbox>>;

let replicas: TwoReplicas;
let served: Served;
/** The requests that reached a server of the sandbox. */
let reached: string[] = [];
const links: Record<string, { host: string; token: string; id: string }> = {};
const keys: Record<string, string> = { first: firstKey };

beforeAll(async () => {
  replicas = await startTwoReplicas();
  const listen = () =>
    serveInSandbox((incoming, outgoing) => {
      reached.push(`${incoming.method} ${incoming.url}`);
      outgoing.end('reached');
    });
  const [one, another, shared] = [await listen(), await listen(), await listen()];
  served = { ...one, close: () => [one, another, shared].map(({ close }) => close()) };
  const foreign = await replicas.host.createSession();
  const open = async (name: string, body: object, sessionId?: string) => {
    const made = await replicas.open({ access: 'link', ...body }, sessionId ? { sessionId } : {});
    links[name] = { host: made.host, token: made.token ?? '', id: made.id };
    return made;
  };
  await open('good', { port: one.port });
  await open('otherPort', { port: another.port });
  await open('otherSession', { port: one.port }, foreign.id);
  await open('withKey', { port: shared.port, access: 'key' });
  const revoked = await open('revoked', { port: one.port });
  const expired = await open('expired', { port: one.port });
  await replicas.host.request('DELETE', `/v1/sessions/${replicas.session.id}/ports/${revoked.id}`);
  await replicas.database.db.sql`update ports set expires_at = now() - interval '1 second' where id = ${expired.id}`;
  const key = async (name: string, body: object) => {
    const { body: made } = await replicas.host.request('POST', '/v1/api-keys', body);
    keys[name] = made.key;
    return made.id;
  };
  await key('otherTenant', { tenant: 'other', scopes: ['run'] });
  await key('adminAlone', { tenant: 'default', scopes: ['admin'] });
  const gone = await key('revoked', { tenant: 'default', scopes: ['run'] });
  await replicas.host.request('DELETE', `/v1/api-keys/${gone}`);
  const share = { access: 'run', expiresSeconds: 600 };
  const { body } = await replicas.host.request('POST', `/v1/sessions/${replicas.session.id}/shares`, share);
  keys.share = body.token;
}, 120_000);
afterAll(async () => {
  served.close();
  await replicas[Symbol.asyncDispose]();
});
beforeEach(() => {
  reached = [];
});

const link = (name: string) => links[name] as (typeof links)[string];
const query = (token: string) => `/?holdfast_token=${token}`;
const cookie = (token: string) => ({ Cookie: `holdfast-port=${token}` });
const changed = (token: string, at: number) =>
  `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`;

type Asked = { host?: string; path?: string; headers?: Record<string, string>; method?: string };
type Row = [name: string, asked: () => Asked, status: number];

const fetched = (site: string, mode: string) => ({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode });
const good = () => ({ host: link('good').host });

const byLink: Row[] = [
  ['without a token', good, 401],
  ['with an empty token', () => ({ ...good(), path: query('') }), 401],
  ['with a token that is none', () => ({ ...good(), path: query('token') }), 401],
  ['with an API key where a link is needed', () => ({ ...good(), headers: { 'X-API-Key': firstKey } }), 401],
  ['with the token of another port', () => ({ ...good(), path: query(link('otherPort').token) }), 401],
  ['with the token of another session', () => ({ ...good(), path: query(link('otherSession').token) }), 401],
  ['with a token that was revoked', () => ({ ...good(), path: query(link('revoked').token) }), 401],
  ['with a token that has expired', () => ({ ...good(), path: query(link('expired').token) }), 401],
  ['with a changed id', () => ({ ...good(), path: query(changed(link('good').token, 10)) }), 401],
  ['with a changed signature', () => ({ ...good(), path: query(changed(link('good').token, 50)) }), 401],
  ['with a cut signature', () => ({ ...good(), path: query(link('good').token.slice(0, -1)) }), 401],
  ['with a longer signature', () => ({ ...good(), path: query(`${link('good').token}A`) }), 401],
  ['with two tokens', () => ({ ...good(), path: `${query(link('good').token)}&holdfast_token=x` }), 400],
  ['with the token of a share link', () => ({ ...good(), path: query(keys.share ?? '') }), 401],
  ['with the cookie of another port', () => ({ ...good(), headers: cookie(link('otherPort').token) }), 401],
  ['with the cookie of another session', () => ({ ...good(), headers: cookie(link('otherSession').token) }), 401],
  [
    'with its cookie from a page of another session',
    () => ({ ...good(), headers: { ...cookie(link('good').token), Origin: `http://${link('otherSession').host}` } }),
    401,
  ],
  [
    'with its cookie from a page without an origin',
    () => ({ ...good(), method: 'POST', headers: { ...cookie(link('good').token), Origin: 'null' } }),
    401,
  ],
  [
    'with its cookie for a script of another page',
    () => ({ ...good(), headers: { ...cookie(link('good').token), ...fetched('same-site', 'no-cors') } }),
    401,
  ],
  [
    'with its cookie for a script of a page of another session',
    () => ({
      ...good(),
      headers: {
        ...cookie(link('good').token),
        ...fetched('same-site', 'no-cors'),
        Referer: `http://${link('otherSession').host}/`,
      },
    }),
    401,
  ],
  [
    'with its cookie by a form of a page of another session',
    () => ({
      ...good(),
      method: 'POST',
      headers: { ...cookie(link('good').token), ...fetched('same-site', 'navigate') },
    }),
    401,
  ],
  ['with a cookie that was revoked', () => ({ ...good(), headers: cookie(link('revoked').token) }), 401],
  ['with a cookie of another name', () => ({ ...good(), headers: { Cookie: `port=${link('good').token}` } }), 401],
  [
    'with the cookie that only TLS may set',
    () => ({ ...good(), headers: { Cookie: `__Host-holdfast-port=${link('good').token}` } }),
    401,
  ],
  ['with a token as a bearer', () => ({ ...good(), headers: { Authorization: `Bearer ${link('good').token}` } }), 401],
  [
    'with a fifth cookie',
    () => ({ ...good(), headers: { Cookie: `${'holdfast-port=x; '.repeat(4)}holdfast-port=${link('good').token}` } }),
    401,
  ],
];

const withKey = () => ({ host: link('withKey').host });
const as = (key: string) => ({ ...withKey(), headers: { Authorization: `Bearer ${key}` } });

const byKey: Row[] = [
  ['without a key', withKey, 401],
  ['with a key that is none', () => as('hf_none'), 401],
  ['with a key that was revoked', () => as(keys.revoked ?? ''), 401],
  ['with the key of another tenant', () => as(keys.otherTenant ?? ''), 401],
  ['with a key that may not run', () => as(keys.adminAlone ?? ''), 403],
  ['with a share link', () => as(keys.share ?? ''), 403],
  ['with the token of a link to another port', () => ({ ...withKey(), path: query(link('good').token) }), 401],
  ['with a key in the query', () => ({ ...withKey(), path: `/?key=${firstKey}` }), 401],
  [
    'with a key as a password',
    () => ({ ...withKey(), headers: { Authorization: `Basic ${btoa(`x:${firstKey}`)}` } }),
    401,
  ],
  ['with a key in a cookie', () => ({ ...withKey(), headers: cookie(firstKey) }), 401],
];

const label = () => link('good').host.split('.')[0] ?? '';
const at = (host: string) => () => ({ host, path: query(link('good').token) });

const byName: Row[] = [
  ['of a session that does not exist', at(`8000-${newId('ses').slice(4)}.localhost`), 404],
  ['of a port that is not open', () => at(`1-${label().split('-')[1]}.localhost`)(), 404],
  ['of port 0', () => at(`0-${label().split('-')[1]}.localhost`)(), 404],
  ['of a port that is too high', () => at(`65536-${label().split('-')[1]}.localhost`)(), 404],
  ['of a port with a zero in front', () => at(`0${label()}.localhost`)(), 404],
  ['without a port', () => at(`${label().split('-')[1]}.localhost`)(), 404],
  ['of a session id with its prefix', () => at(`8000-ses_${label().split('-')[1]}.localhost`)(), 404],
  ['below the name of a port', () => at(`a.${label()}.localhost`)(), 404],
  ['with a dot at the end', () => at(`${label()}.localhost.`)(), 404],
  ['with another name in front', () => at(`x${label()}.localhost`)(), 404],
  ['with a name of a person in front', at(`me@${'0'.repeat(26)}.localhost`), 404],
  ['of the port behind a name of a person', () => at(`me@${label()}.localhost`)(), 404],
  ['with a path in front', () => at(`localhost/${label()}.localhost`)(), 404],
  ['with a query in front', () => at(`localhost?${label()}.localhost`)(), 404],
  ['with an encoded letter', () => at(`%38${label().slice(1)}.localhost`)(), 404],
  ['with a digit of another script', () => at(`\u00b2${label()}.localhost`)(), 404],
  ['with an underscore for the hyphen', () => at(`${label().replace('-', '_')}.localhost`)(), 404],
  ['with two hyphens', () => at(`${label().replace('-', '--')}.localhost`)(), 404],
  ['of an API endpoint', () => ({ ...at('api.localhost')(), path: '/v1/sessions' }), 404],
];

test.each([...byLink, ...byKey, ...byName])('refuses a visit %s', async (_, asked, status) => {
  for (const { url } of [replicas.one, replicas.other]) {
    const { host = '', ...rest } = asked();
    const answer = await visit({ at: url, host, ...rest });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.text).not.toMatch(/hfp_|hfs_/);
  }
  expect(reached).toEqual([]);
});

test('the API does not answer under the name of a port, nor a port under the name of the API', async () => {
  const { host } = link('withKey');
  const headers = { Authorization: `Bearer ${firstKey}` };
  const steps = `/v1/sessions/${replicas.session.id}/steps`;
  expect((await visit({ at: replicas.one.url, host, path: '/v1/sessions', headers })).text).toBe('reached');
  const posted = { method: 'POST', body: '{"code":"1"}', headers: { ...headers, 'Content-Type': 'application/json' } };
  expect((await visit({ at: replicas.one.url, host, path: steps, ...posted })).text).toBe('reached');
  expect(reached).toEqual(['GET /v1/sessions', `POST ${steps}`]);
  const { body } = await replicas.host.request('GET', `/v1/sessions/${replicas.session.id}/steps`);
  expect(body.items).toEqual([]);
  expect((await visit({ at: replicas.one.url, host: 'localhost', path: '/', headers })).status).toBe(404);
});

const smuggled = smuggledRequests(() => link('withKey').host, firstKey);

test.each(smuggled)('refuses a request with %s, and what hides behind it', async (_, bytes, status) => {
  const answered = await exchange(replicas.one.url, bytes().replace(/\r\n\r\n/, '\r\nConnection: close\r\n\r\n'));
  expect(Number(answered.slice(9, 12)), answered).toBe(status);
  expect(reached).toEqual([]);
});

test('a tunnel cannot be asked for by CONNECT', async () => {
  expect(
    await exchange(
      replicas.one.url,
      raw(['CONNECT localhost:22 HTTP/1.1', `Host: ${link('withKey').host}`, `X-API-Key: ${firstKey}`]),
    ),
  ).not.toMatch(/^HTTP\/1.1 2/);
  expect(reached).toEqual([]);
});

test('only WebSockets are upgraded: another protocol is answered as if it was not asked for', async () => {
  const headers = {
    'X-API-Key': firstKey,
    Connection: 'Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAMAAABk',
  };
  expect((await visit({ at: replicas.one.url, host: link('withKey').host, headers })).text).toBe('reached');
});

test.each([
  ['without a token', () => ({}), 401],
  ['with the token of another session', () => ({ path: query(link('otherSession').token) }), 401],
  ['with a token that was revoked', () => ({ headers: cookie(link('revoked').token) }), 401],
  [
    'with its cookie from a page of another session',
    () => ({ headers: { ...cookie(link('good').token), Origin: `http://${link('otherSession').host}` } }),
    401,
  ],
])('refuses a WebSocket %s', async (_, asked, status) => {
  const { status: answered, socket } = await upgrade({ at: replicas.one.url, host: link('good').host, ...asked() });
  socket.destroy();
  expect(answered).toBe(status);
});

test('a WebSocket under the name of the API is none', async () => {
  const { status, socket } = await upgrade({ at: replicas.one.url, host: 'localhost', path: '/v1/sessions' });
  socket.destroy();
  expect(status).toBe(401);
});

test('the table has the refusals that were promised', () => {
  expect(byLink.length + byKey.length + byName.length + smuggled.length).toBeGreaterThanOrEqual(100);
});

test('a port that is refused to all of them is open to those for whom it is', async () => {
  const { host: name, token } = link('good');
  expect((await visit({ at: replicas.other.url, host: name, headers: cookie(token) })).text).toBe('reached');
  expect((await visit({ at: replicas.other.url, host: name.toUpperCase(), headers: cookie(token) })).text).toBe(
    'reached',
  );
  const Origin = `http://${link('otherPort').host}`;
  const asked = { host: name, headers: { ...cookie(token), Origin } };
  expect((await visit({ at: replicas.other.url, ...asked })).text).toBe('reached');
  expect((await visit({ at: replicas.other.url, ...as(firstKey) })).text).toBe('reached');
});
