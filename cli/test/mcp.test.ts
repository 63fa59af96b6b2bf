import { join } from 'node:path';
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

test('a server that is down or that does not know the key is told to the client', async () => {
  await expect(connect([], { HOLDFAST_URL: 'http://127.0.0.1:9' })).rejects.toThrow(
    /http:\/\/127\.0\.0\.1:9 cannot be reached/,
  );
  await expect(connect([], { HOLDFAST_API_KEY: 'an-unknown-key' })).rejects.toThrow(/the API key is not known/);
});
