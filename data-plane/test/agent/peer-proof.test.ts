import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import type { Readable } from 'node:stream';
import { proofText } from '@holdfast/specs/agent';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programPath } from '../../../runtime-images/test/support/program-path.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

const agentMain = programPath('session-agent/src/main.ts');

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  // A duty that checks the dead sandbox first would end its session before anyone dials the stranger: none is due for an hour.
  await installation.database.db.sql`
    insert into ticks (name, last_at) select name, now() + interval '1 hour' from unnest(array['resync', 'keep-alive']) name
    on conflict (name) do update set last_at = excluded.last_at`;
});

afterAll(() => installation[Symbol.asyncDispose]());

type Route = { uid: string; port: number };
type Answer = (route: Route, nonce: string) => string;

const keys = generateKeyPairSync('ed25519');
const signedBy = (uid: string, text: string) =>
  JSON.stringify({
    uid,
    publicKey: keys.publicKey.export({ format: 'jwk' }).x,
    signature: sign(null, Buffer.from(text), keys.privateKey).toString('base64url'),
  });

const strangers: [string, Answer][] = [
  ['proves another uid', (_route, nonce) => signedBy('uid_other', proofText('uid_other', nonce))],
  ['claims the uid with a key of its own', ({ uid }, nonce) => signedBy(uid, proofText(uid, nonce))],
  ['claims the uid and signs another nonce', ({ uid }) => signedBy(uid, proofText(uid, 'x'.repeat(43)))],
  ['answers something else', () => '{"status":"ok"}'],
];

test.each(strangers)(
  'a stranger on the address of a dead agent that %s sees no token and no code',
  async (_title, answer) => {
    const { id } = await holdfast.createSession();
    await holdfast.runStep(id, { code: 'before = 1' });
    const route = await killAgent(id);
    const { server, seen } = await listenOn(route, answer);
    const refused = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: 'secret_code_marker = 1' });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    await new Promise((resolve) => server.close(resolve));

    const text = seen.join('');
    expect(text).toContain('POST /v1/proof');
    expect(text).not.toMatch(/secret_code_marker|authorization|bearer|eyJ/i);
    expect(text.match(/ HTTP\/1\.1/g)).toEqual(text.match(/POST \/v1\/proof HTTP\/1\.1/g)?.map(() => ' HTTP/1.1'));
    await eventually(async () => {
      expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({
        status: 'failed',
        endReason: 'sandbox_exited',
      });
    });
  },
);

test('a real agent of another sandbox on that address, without authentication, gets no byte of the step', async () => {
  const { id } = await holdfast.createSession();
  const route = await killAgent(id);
  const stranger = await startStranger();
  const seen: string[] = [];
  const server = createServer((socket) => {
    const onward = connect(stranger.port, '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => {});
    socket
      .on('data', (chunk) => seen.push(chunk.toString()))
      .pipe(onward)
      .pipe(socket);
  });
  await listen(server, route.port);
  const refused = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: 'secret_code_marker = 1' });
  expect(refused.status).toBe(503);
  expect(seen.join('')).toContain('POST /v1/proof');
  expect(seen.join('')).not.toMatch(/secret_code_marker|authorization|bearer|eyJ|v1\/steps/i);
  await new Promise((resolve) => server.close(resolve));
  await stranger.stop();
});

/** An agent that would run anyone's code: authentication is bypassed. */
async function startStranger() {
  const child = spawn(process.execPath, [agentMain], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOLDFAST_ENV: 'development',
      HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true',
      HOLDFAST_SANDBOX_UID: 'uid_stranger',
      HOLDFAST_WORKSPACE: installation.dataDir,
      HOLDFAST_AGENT_READY_FD: '3',
    },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [line] = await once(child.stdio[3] as Readable, 'data');
  return {
    port: JSON.parse(String(line)).port as number,
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function killAgent(sessionId: string): Promise<Route> {
  const [row] = await installation.database.db.sql<{ sandbox_uid: string; endpoint: string }[]>`
    select sandbox_uid, endpoint from session_routes where session_id = ${sessionId}`;
  const step = await holdfast.runStep(sessionId, { code: 'import os; os.getppid()' });
  process.kill(Number(step.results[0]?.data['text/plain']), 'SIGKILL');
  // Until its connections are seen to be gone, a step would go out on one of them and be lost with it.
  await eventually(async () => {
    const metrics = await (await fetch(`${holdfast.url}/metrics`)).text();
    expect(metrics).toMatch(/^holdfast_agent_connections 0$/m);
  });
  return { uid: row?.sandbox_uid as string, port: Number(new URL(row?.endpoint as string).port) };
}

/** Keeps all bytes that come, and answers every request with what the stranger has to say. */
async function listenOn(route: Route, answer: Answer): Promise<{ server: Server; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      seen.push(chunk.toString());
      const nonce = /"nonce":"([\w-]+)"/.exec(chunk.toString())?.[1] ?? '';
      const body = answer(route, nonce);
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  await listen(server, route.port);
  return { server, seen };
}

/** The port is free as soon as the dead agent's connections are. */
async function listen(server: Server, port: number): Promise<void> {
  await eventually(
    () => new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', () => resolve(null))),
  );
}
