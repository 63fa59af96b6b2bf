import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { buildCli } from './support/build-cli.ts';

test('a server without Python is asked in a language that it has', async () => {
  const asked: Record<string, unknown> = {};
  const answers: Record<string, object> = {
    'GET /readyz': { ready: true, checks: {} },
    'GET /v1/languages': { profile: 'default', languages: [{ name: 'bash' }] },
    'POST /v1/sessions': { id: 'ses_1', language: 'bash', runtime: 'container', network: 'none' },
    'POST /v1/sessions/ses_1/steps': { finishedAt: 'now', status: 'succeeded', results: [], stdout: '42\n' },
    'DELETE /v1/sessions/ses_1': {},
  };
  await using server = createServer(async (request, answer) => {
    const operation = `${request.method} ${request.url}`;
    if (request.method === 'POST') asked[operation] = await json(request);
    const found = answers[operation];
    answer.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(found ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await using cli = await buildCli({ HOLDFAST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const { stdout } = await cli.run(['doctor']);
  expect(stdout).toMatch(/^sandbox +ok /m);
  expect(asked).toMatchObject({
    'POST /v1/sessions': { language: 'bash' },
    'POST /v1/sessions/ses_1/steps': { code: 'echo $((6 * 7))' },
  });
}, 60_000);
