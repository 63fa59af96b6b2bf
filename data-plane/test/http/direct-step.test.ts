import { type IncomingMessage, request as nodeRequest } from 'node:http';
import { Problem, type RunStep } from '@holdfast/specs/public';
import { expect, onTestFinished, test } from 'vitest';
import { serveApp } from '../../src/http/edge/serve-app.ts';
import { scriptedApp } from './scripted-app.ts';
import { scriptedStep } from './scripted-step.ts';
import { sessionId } from './scripted-verbs.ts';

const path = `/v1/sessions/${sessionId}/steps`;
const key = ['Authorization', 'Bearer run'];
const json = ['Content-Type', 'application/json'];
const body = '{"code":"1"}';

type Sent = { method?: string; path?: string; headers: string[]; body?: string };
type Answer = { status: number | undefined; headers: object; body: string };

/** The same app, answering some requests directly and sending all of them through hono. */
async function bothWays() {
  const asked: RunStep[] = [];
  const runStep = async ({ request }: { request: RunStep }) => {
    asked.push(request);
    if (request.code === 'refused') throw new Problem('session-ended', { retryAfterSeconds: 2 });
    if (request.code === 'fault') throw new Error('a fault');
    const live = scriptedStep(sessionId);
    live.finish({ id: 'stp_01kaf3y2bw4x5y6z7a8b9cdefg' });
    return Object.assign(live, { id: 'stp_01kaf3y2bw4x5y6z7a8b9cdefg' });
  };
  const { app } = scriptedApp({ runStep }, { bodyBytesMax: 1000 });
  const address = { host: '127.0.0.1', port: 0 };
  const direct = await serveApp(app, address);
  const through = await serveApp({ fetch: app.fetch }, address);
  onTestFinished(() => Promise.all([direct, through].map((served) => served.close({ graceMs: 0 }))).then(() => {}));
  return { direct: direct.url, through: through.url, asked };
}

function send(url: string, { method = 'POST', path: to = path, headers, body: text }: Sent): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const host = ['Host', 'holdfast', 'X-Request-Id', 'one'];
  return new Promise((resolve, reject) => {
    const sent = nodeRequest({
      hostname,
      port,
      method,
      path: to,
      headers: [...host, ...headers] as never,
      agent: false,
    });
    sent.on('response', async (answer: IncomingMessage) => {
      let received = '';
      for await (const chunk of answer) received += chunk;
      const { date: _, connection: __, 'keep-alive': ___, ...rest } = answer.headers;
      resolve({ status: answer.statusCode, headers: rest, body: received });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

const cases: Record<string, Sent> = {
  'a plain step': { headers: [...key, ...json], body },
  'a plain step in chunks': { headers: [...key, ...json, 'Transfer-Encoding', 'chunked'], body },
  'a step with more': { headers: [...key, ...json], body: '{"code":"1","language":"node","timeoutSeconds":3}' },
  'no key': { headers: json, body },
  'an unknown key': { headers: ['X-API-Key', 'other', ...json], body },
  'a key without the scope': { headers: ['X-API-Key', 'admin', ...json], body },
  'two keys in one header': { headers: [...key, 'Authorization', 'Bearer admin', ...json], body },
  'two different keys': { headers: [...key, 'X-API-Key', 'admin', ...json], body },
  'two types': { headers: [...key, ...json, 'Content-Type', 'text/plain'], body },
  'another type': { headers: [...key, 'Content-Type', 'text/plain'], body },
  'no type': { headers: key, body },
  'an encoding': { headers: [...key, ...json, 'Content-Encoding', 'gzip'], body },
  'no body': { headers: [...key, ...json] },
  'a body that is not JSON': { headers: [...key, ...json], body: '{"code":' },
  'a body of another form': { headers: [...key, ...json], body: '[1]' },
  'an unknown field': { headers: [...key, ...json], body: '{"code":"1","cod":"1"}' },
  'code with NUL': { headers: [...key, ...json], body: '{"code":"\\u0000"}' },
  'code with a lone surrogate': { headers: [...key, ...json], body: '{"code":"\\ud800"}' },
  'two faults': { headers: [...key, ...json], body: '{"code":1,"stdin":2}' },
  'a body that is too large': { headers: [...key, ...json], body: `{"code":"${'x'.repeat(2000)}"}` },
  'a query': { path: `${path}?a=1`, headers: [...key, ...json], body },
  'a malformed id': { path: '/v1/sessions/ses_1/steps', headers: [...key, ...json], body },
  'dots in the path': { path: `/v1/../v1/sessions/${sessionId}/steps`, headers: [...key, ...json], body },
  'an Idempotency-Key that is too long': {
    headers: [...key, ...json, 'Idempotency-Key', 'x'.repeat(300)],
    body,
  },
  'an Accept header with alternatives': { headers: [...key, ...json, 'Accept', 'text/html, */*;q=0.1'], body },
  'a problem': { headers: [...key, ...json], body: '{"code":"refused"}' },
  'a fault': { headers: [...key, ...json], body: '{"code":"fault"}' },
  'another method': { method: 'PUT', headers: [...key, ...json], body },
};

test.each(Object.entries(cases))('%s is answered the same directly and through hono', async (_, sent) => {
  const { direct, through, asked } = await bothWays();
  const answer = await send(direct, sent);
  expect(answer).toEqual(await send(through, sent));
  expect(asked[0]).toEqual(asked[1]);
});
