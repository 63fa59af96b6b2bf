import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { connectMcp, run, textOf } from './mcp-client.ts';

const adminKey = 'an-admin-key-for-the-tests-of-mcp';

let installation: Installation;
let holdfast: Holdfast;
let keys: { ours: string; second: string; other: string; host: string };
beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({
    HOLDFAST_BOOTSTRAP_API_KEY: adminKey,
    HOLDFAST_CORS_ORIGINS: 'https://app.example',
  });
  const make = async (tenant: string, scope: string) => {
    const authorization = { authorization: `Bearer ${adminKey}` };
    const body = { tenant, scopes: [scope], name: 'test' };
    return (await holdfast.request('POST', '/v1/api-keys', body, authorization)).body.key as string;
  };
  const [ours = '', second = ''] = [await make('ours', 'run'), await make('ours', 'run')];
  keys = { ours, second, other: await make('other', 'run'), host: await make('ours', 'host') };
});
afterAll(() => installation[Symbol.asyncDispose]());

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
const accept = 'application/json, text/event-stream';

type Sent = { headers?: Record<string, string>; method?: string; path?: string };

function send(body: unknown, { headers = {}, method = 'POST', path = '/mcp' }: Sent = {}) {
  return fetch(holdfast.url + path, {
    method,
    headers: { authorization: `Bearer ${keys.ours}`, 'content-type': 'application/json', accept, ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

async function opened(headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const answer = await send(initialize, { headers });
  expect(answer.status).toBe(200);
  await answer.text();
  return { ...headers, 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
}

test('a client without a valid key is refused, and told which scheme to use', async () => {
  for (const authorization of ['', 'Bearer unknown-key', 'Basic eA==']) {
    const answer = await send(initialize, { headers: { authorization } });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="holdfast"']);
  }
  expect((await send(initialize, { headers: { authorization: `Bearer ${keys.host}` } })).status).toBe(403);
});

test('web pages of sites that are not listed are refused, also with a key', async () => {
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example']) {
    expect((await send(initialize, { headers: { origin } })).status).toBe(403);
  }
  await opened({ origin: 'http://localhost:6274' });
  await opened({ origin: holdfast.url });
  await opened({ origin: 'https://app.example' });
});

test('an MCP session belongs to the key that opened it', async () => {
  const session = await opened();
  expect((await send(ping, { headers: session })).status).toBe(200);
  for (const key of [keys.second, keys.other, adminKey]) {
    const headers = { ...session, authorization: `Bearer ${key}` };
    expect((await send(ping, { headers })).status).toBe(404);
    expect((await send(null, { headers, method: 'DELETE' })).status).toBe(404);
  }
  expect((await send(ping, { headers: { 'mcp-session-id': 'mcp_01kaf3xq5t7e8m9n0p1r2s3t4v' } })).status).toBe(404);
  expect((await send(ping, { headers: { 'mcp-session-id': "x' or 1=1" } })).status).toBe(404);
  expect((await send(ping)).status).toBe(400);
  expect((await send(null, { method: 'DELETE', headers: session })).status).toBe(204);
  expect((await send(ping, { headers: session })).status).toBe(404);
});

test('messages that do not follow the protocol are refused, and the server goes on', async () => {
  const session = await opened();
  const refused = async (status: number, body: unknown, sent: Sent = {}) => {
    const answer = await send(body, { ...sent, headers: { ...session, ...sent.headers } });
    expect([body, answer.status]).toEqual([body, status]);
    await answer.text();
  };
  await refused(400, [ping, ping]);
  await refused(400, '{"jsonrpc": "2.0", "id": 1');
  await refused(400, { jsonrpc: '1.0', id: 1, method: 'ping' });
  await refused(400, { ...ping, id: 'x'.repeat(1000) });
  await refused(400, { ...ping, params: { _meta: { progressToken: 'x'.repeat(1000) } } });
  await refused(400, null);
  await refused(400, { ...initialize, params: {} });
  await refused(400, ping, { headers: { 'mcp-protocol-version': '1999-01-01' } });
  await refused(406, ping, { headers: { accept: 'text/html' } });
  await refused(406, ping, { headers: { accept: 'application/json' } });
  await refused(415, ping, { headers: { 'content-type': 'text/plain' } });
  await refused(413, `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(9 * 2 ** 20)}"}`);
  await refused(400, ping, { path: '/mcp?session=mcp:of-another' });
  await refused(405, null, { method: 'GET' });
  await refused(400, null, { method: 'GET', headers: { 'last-event-id': 'made-up' } });
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_code","arguments":{"code":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`;
  expect((await send(deep, { headers: session })).status).toBeLessThan(500);
  expect((await send(ping, { headers: session })).status).toBe(200);
});

test('a repeat of a request joins the step that the first one has started', async () => {
  const session = await opened();
  const call = (id: number, code: string) =>
    send(
      { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'run_code', arguments: { code } } },
      { headers: session },
    ).then((answer) => answer.text());
  const code = 'import time\nopen("runs", "a").write("x")\ntime.sleep(0.5)\nopen("runs").read()';
  const answers = await Promise.all([call(7, code), call(7, code)]);
  for (const answer of answers) expect(answer).toContain(`"result":"'x'"`);
  expect(await call(8, 'open("runs").read()')).toContain(`"result":"'x'"`);
});

test('20 MCP sessions at once do not see each other', async () => {
  const clients = await Promise.all(Array.from({ length: 20 }, () => connectMcp(holdfast.url, { key: keys.ours })));
  const begun = await Promise.all(
    clients.map((mcp, n) => mcp.call(...run(`mine = ${n}\nopen("of-${n}", "w").write("x")\nmine`))),
  );
  expect(begun.map(({ result }) => result)).toEqual(clients.map((_, n) => `${n}`));
  expect(new Set(begun.map(({ sessionId }) => sessionId)).size).toBe(20);
  const seen = await Promise.all(
    clients.map(async (mcp, n) => {
      const neighbour = begun[(n + 1) % 20] as { sessionId: string; stepId: string };
      const { items } = (await mcp.call('list_files')) as { items: { path: string }[] };
      const { sessions } = (await mcp.call('list_sessions')) as { sessions: { sessionId: string }[] };
      const uri = `holdfast://sessions/${neighbour.sessionId}/steps/${neighbour.stepId}/stdout`;
      const read = await mcp.client.readResource({ uri }).catch((error) => error.message);
      const used = textOf(await mcp.tool('use_session', { session: neighbour.sessionId }));
      const { result } = await mcp.call(...run('mine'));
      return {
        files: items.map(({ path }) => path),
        sessions: sessions.map((one) => one.sessionId),
        read,
        used,
        result,
      };
    }),
  );
  for (const [n, { files, sessions, read, used, result }] of seen.entries()) {
    expect({ files, sessions, result }).toEqual({
      files: [`of-${n}`],
      sessions: [begun[n]?.sessionId],
      result: `${n}`,
    });
    expect(read).toMatch(/-32002.*does not exist/);
    expect(used).toMatch(/^Not found/);
  }
  await Promise.all(clients.map((mcp) => mcp[Symbol.asyncDispose]()));
}, 120_000);

test('a key that is revoked ends its MCP sessions', async () => {
  const authorization = { authorization: `Bearer ${adminKey}` };
  const body = { tenant: 'ours', scopes: ['run'], name: 'short-lived' };
  const { key, id } = (await holdfast.request('POST', '/v1/api-keys', body, authorization)).body;
  const mcp = await connectMcp(holdfast.url, { key });
  await mcp.call(...run('1'));
  expect(await holdfast.request('DELETE', `/v1/api-keys/${id}`, undefined, authorization)).toMatchObject({
    status: 204,
  });
  await eventually(async () => {
    await expect(mcp.tool('list_sessions')).rejects.toThrow();
  });
  await mcp.client.close();
});
