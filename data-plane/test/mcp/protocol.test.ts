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

const rows = async () => Number((await installation.database.db.sql`select count(*) from mcp_sessions`)[0]?.count);

test('a refused initialize opens no session, and a ping writes nothing', async () => {
  const before = await rows();
  for (const [body, headers] of [
    [initialize, { accept: 'application/json' }],
    [{ ...initialize, id: undefined }, {}],
    [{ ...initialize, id: 'x'.repeat(1000) }, {}],
  ] as const) {
    expect((await send(body, { headers })).status).toBeGreaterThanOrEqual(400);
  }
  expect(await rows()).toBe(before);
  const session = await opened();
  const id = session['mcp-session-id'] ?? '';
  const version = () =>
    installation.database.db.sql`select xmin::text, last_used_at from mcp_sessions where id = ${id}`;
  const fresh = await version();
  for (let n = 0; n < 3; n++) expect((await send(ping, { headers: session })).status).toBe(200);
  expect(await version()).toEqual(fresh);
});

test('parameters that do not fit a request are the fault of its client', async () => {
  const session = await opened();
  for (const [method, params] of [
    ['tools/call', undefined],
    ['tools/call', { name: 'run_code', arguments: [] }],
    ['resources/read', {}],
  ] as const) {
    const answer = await send({ jsonrpc: '2.0', id: 3, method, params }, { headers: session });
    expect(await answer.text()).toContain('"code":-32602');
  }
});

test('a repeat of create_session is the same session', async () => {
  const session = await opened();
  const create = async (id: number) => {
    const params = { name: 'create_session', arguments: {} };
    const answer = await send({ jsonrpc: '2.0', id, method: 'tools/call', params }, { headers: session });
    return /ses_[0-9a-z]{26}/.exec(await answer.text())?.[0];
  };
  const first = await create(20);
  expect(first).toBeDefined();
  expect(await create(20)).toBe(first);
  expect(await create(21)).not.toBe(first);
}, 60_000);

test('an answer that was cut off goes on when the tools work in another session', async () => {
  const session = await opened();
  const ask = (id: number, name: string, args: object, more: object = {}) =>
    send(
      { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...more } },
      { headers: session },
    );
  const code = 'import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.05)\n"end"';
  const cut = await ask(30, 'run_code', { code }, { _meta: { progressToken: 1 } });
  let seen = '';
  for await (const chunk of cut.body ?? []) {
    seen += Buffer.from(chunk).toString();
    if (/begun/.test(seen) && seen.endsWith('\n\n')) break;
  }
  const lastId =
    seen
      .match(/^id: .*$/gm)
      ?.at(-1)
      ?.slice('id: '.length) ?? '';
  await (await ask(31, 'write_file', { path: 'go', content: '' })).text();
  await (await ask(32, 'create_session', {})).text();
  const rest = await send(null, { method: 'GET', headers: { ...session, 'last-event-id': lastId } });
  expect(await rest.text()).toContain(`"result":"'end'"`);
}, 60_000);

test('a question that is still open is asked again after a cut, and only its MCP session can answer it', async () => {
  const capable = { ...initialize.params, capabilities: { elicitation: {} } };
  const begin = await send({ ...initialize, params: capable });
  await begin.text();
  const session = { 'mcp-session-id': begin.headers.get('mcp-session-id') ?? '' };
  const code = '[input("first?"), input("second?")]';
  const params = { name: 'run_code', arguments: { code } };
  const cut = await send({ jsonrpc: '2.0', id: 40, method: 'tools/call', params }, { headers: session });
  const asked = async (answer: Response, prompt: string) => {
    let seen = '';
    for await (const chunk of answer.body ?? []) {
      seen += Buffer.from(chunk).toString();
      if (seen.includes(prompt) && seen.endsWith('\n\n')) break;
    }
    const messages = [...seen.matchAll(/^id: (.*)\ndata: (.*)$/gm)].slice(-1);
    const [[, eventId = '', data = '{}'] = []] = messages;
    return { seen, eventId, questionId: JSON.parse(data).id as string };
  };
  const reply = (id: string, input: string, headers: Record<string, string> = session) =>
    send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { input } } }, { headers });
  const stream = (eventId: string) => send(null, { method: 'GET', headers: { ...session, 'last-event-id': eventId } });

  const first = await asked(cut, 'first?');
  expect((await reply(first.questionId, 'of a stranger', await opened())).status).toBe(202);
  expect((await reply(first.questionId, 'one')).status).toBe(202);
  expect((await reply(first.questionId, 'one')).status).toBe(202);
  const second = await asked(await stream(first.eventId), 'second?');
  expect(second.seen).not.toContain('first?');
  const again = await asked(await stream(second.eventId), 'second?');
  expect(again.questionId).toBe(second.questionId);
  const rest = await stream(again.eventId);
  expect((await reply(again.questionId, 'two')).status).toBe(202);
  expect(await rest.text()).toContain(`['one', 'two']`);
}, 60_000);

test('any answer to a question goes on with the code', async () => {
  const capable = { ...initialize.params, capabilities: { elicitation: {} } };
  const begin = await send({ ...initialize, params: capable });
  await begin.text();
  const session = { 'mcp-session-id': begin.headers.get('mcp-session-id') ?? '' };
  const accept = (content: unknown) => ({ result: { action: 'accept', content } });
  const answers: [object, string][] = [
    [accept({ input: 42 }), "'42'"],
    [accept({ input: true }), "'true'"],
    [accept({}), "''"],
    [accept({ input: 'one\r\ntwo\nthree' }), "'one'"],
    [accept({ input: 'of this question' }), "'of this question'"],
    [accept('x'), 'EOFError'],
    [accept({ input: 'a\u0000b' }), 'EOFError'],
    [accept({ input: 'x'.repeat(2 ** 21) }), 'EOFError'],
    [{ result: { action: 'decline' } }, 'EOFError'],
    [{ result: {} }, 'EOFError'],
    [{ error: { code: -32_603, message: 'no person' } }, 'EOFError'],
  ];
  for (const [index, [answer, shown]] of answers.entries()) {
    const id = `${index}${'€'.repeat(250)}`;
    const params = { name: 'run_code', arguments: { code: 'input("x")' } };
    const call = await send({ jsonrpc: '2.0', id, method: 'tools/call', params }, { headers: session });
    let seen = '';
    for await (const chunk of call.body ?? []) {
      seen += Buffer.from(chunk).toString();
      const asked = /"id":"([^"]*)","method":"elicitation/.exec(seen);
      if (!asked || !seen.endsWith('\n\n') || seen.includes('"status"')) continue;
      const reply = await send({ jsonrpc: '2.0', id: asked[1], ...answer }, { headers: session });
      expect(reply.status).toBe(202);
    }
    expect([index, seen.includes(shown)]).toEqual([index, true]);
  }
}, 60_000);

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
}, 60_000);

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
