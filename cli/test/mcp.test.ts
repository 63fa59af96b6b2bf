import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../data-plane/test/support/installation.ts';
import type { Holdfast } from '../../data-plane/test/support/start-holdfast.ts';
import { buildCli, type Cli } from './support/build-cli.ts';

let installation: Installation;
let server: Holdfast;
let cli: Cli;
beforeAll(async () => {
  installation = await createInstallation();
  server = await installation.start();
  cli = await buildCli();
}, 60_000);
afterAll(async () => {
  await cli[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

/** The official client of a program that it starts, as desktop applications do. */
async function connect(args: string[] = [], env: Record<string, string> = {}) {
  const client = new Client({ name: 'desktop', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(cli.folder, 'dist/main.js'), 'mcp', ...args],
    env: { HOME: cli.folder, HOLDFAST_URL: server.url, ...env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return {
    client,
    run: async (code: string, options = {}) =>
      (await client.callTool({ name: 'run_code', arguments: { code } }, undefined, options)).structuredContent,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const statusOf = async (id: unknown) => (await server.request('GET', `/v1/sessions/${id}`)).body.status;

test('passes the tools of a server on, with output as progress, and ends the session with its client', async () => {
  const mcp = await connect();
  expect((await mcp.client.listTools()).tools.map(({ name }) => name)).toContain('run_code');
  const seen: (string | undefined)[] = [];
  const code = 'import time\nprint("begun", flush=True)\ntime.sleep(1)\nx = 41';
  const done = await mcp.run(code, { onprogress: ({ message }: { message?: string }) => seen.push(message) });
  expect(done).toMatchObject({ status: 'succeeded', stdout: 'begun\n' });
  expect(seen.join('')).toContain('begun');
  const { sessionId, result } = (await mcp.run('x + 1')) as { sessionId: string; result: string };
  expect(result).toBe('42');
  await mcp.client.close();
  await eventually(async () => expect(await statusOf(sessionId)).toBe('completed'));
});

test('a script may write all its messages at once and end', async () => {
  const message = (id: number | undefined, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'script', version: '1' };
  const call = { name: 'run_code', arguments: { code: 'import time; time.sleep(1); 6 * 7' } };
  const lines = [
    message(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
    message(undefined, 'notifications/initialized', {}),
    message(2, 'tools/call', call),
  ];
  const { stdout, exitCode } = await cli.run(['mcp', '--url', server.url], { input: `${lines.join('\n')}\n` });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(answers[1].result.structuredContent).toMatchObject({ result: '42' });
  expect(exitCode).toBe(0);
});

test('works in a session that a person shares', async () => {
  await using mcp = await connect(['--session', 'with-ada']);
  await mcp.run('from_agent = 6');
  const ran = await cli.run(['run', '--url', server.url, '--session', 'with-ada', '-c', 'from_agent * 7']);
  expect(ran).toMatchObject({ exitCode: 0, stdout: '42\n' });
});

test('a client that the server has forgotten hears of it once, and goes on', async () => {
  await using mcp = await connect();
  await mcp.run('x = 1');
  await installation.database.db.sql`delete from mcp_sessions`;
  await expect(mcp.run('x')).rejects.toThrow(/Nothing was done.*with it its variables and files: call again/);
  expect(await mcp.run('x')).toMatchObject({ error: { name: 'NameError' } });
});

test('calls that find out at the same time that they were forgotten share one new session', async () => {
  await using mcp = await connect();
  await mcp.run('x = 1');
  const { sql } = installation.database.db;
  await sql`delete from mcp_sessions`;
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => mcp.run('x')));
  expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect(await mcp.run('x = 2\nx')).toMatchObject({ result: '2' });
  expect(await sql`select id from mcp_sessions`).toHaveLength(1);
});

test('a message that is too large for the server is told to the model, and the session goes on', async () => {
  await using mcp = await connect();
  await mcp.run('x = 41');
  const content = 'x'.repeat(12 * 2 ** 20);
  const written = await mcp.client.callTool({ name: 'write_file', arguments: { path: 'large', content } });
  expect(written).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^The request body is too large/) }],
  });
  expect(await mcp.run('x + 1')).toMatchObject({ result: '42' });
});

/** Runs the command on these lines. */
async function answersTo(lines: string[], url = server.url): Promise<Record<string, unknown>[]> {
  const { stdout } = await cli.run(['mcp', '--url', url], { input: `${lines.join('\n')}\n` });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'script', version: '1' } },
};

test('answers a line that is not a message, and takes the next one', async () => {
  const answers = await answersTo(['{"jsonrpc"', '{"id": 7}', 'null', JSON.stringify(initialize)]);
  expect(answers.slice(0, 3)).toMatchObject([
    { id: null, error: { code: -32_700 } },
    { id: 7, error: { code: -32_600 } },
    { id: null, error: { code: -32_600 } },
  ]);
  expect(answers[3]).toMatchObject({ id: 1, result: { serverInfo: { name: 'holdfast' } } });
});

test('a call whose answer was cut off, and cannot be had any more, is answered', async () => {
  const cutting = createServer(async (incoming, outgoing) => {
    if (incoming.method !== 'POST') return outgoing.writeHead(410).end();
    const { id, method } = JSON.parse(await text(incoming));
    if (method === 'tools/call') {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      return outgoing.write('id: first\ndata:\n\n', () => outgoing.destroy());
    }
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'cutting', version: '1' } };
    outgoing.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
    return outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }).listen(0, '127.0.0.1');
  await once(cutting, 'listening');
  const { port } = cutting.address() as AddressInfo;
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'run_code', arguments: { code: '1' } } };
  const answers = await answersTo(
    [initialize, call].map((one) => JSON.stringify(one)),
    `http://127.0.0.1:${port}`,
  );
  expect(answers[1]).toMatchObject({ id: 2, error: { message: expect.stringMatching(/look before you repeat it/) } });
  cutting.close();
});

test('a server that is down or that does not know the key is told to the client', async () => {
  await expect(connect([], { HOLDFAST_URL: 'http://127.0.0.1:9' })).rejects.toThrow(
    /http:\/\/127\.0\.0\.1:9 cannot be reached/,
  );
  await expect(connect([], { HOLDFAST_API_KEY: 'an-unknown-key' })).rejects.toThrow(/the API key is not known/);
});
