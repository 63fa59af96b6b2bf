import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { encodeFrame, proofText } from '@holdfast/specs/agent';
import type { Exit, StartContainer } from './start-container.ts';

/**
 * Agents in this process, so that a test can run thousands. Each proves its own uid and accepts any caller. It reports every step as
 * succeeded, except that a step with the word `forever` only starts. It records all bytes that it ever received.
 */
export function createRecordingAgents() {
  const received = new Map<string, Buffer[]>();

  const startContainer: StartContainer = ({ uid, env }) => {
    const bytes: Buffer[] = [];
    received.set(uid, bytes);
    const sockets = new Set<Socket>();
    const exited = Promise.withResolvers<Exit>();
    const server = createServer(agentOf(uid)).on('connection', (socket: Socket) => {
      sockets.add(socket.on('data', (chunk) => bytes.push(chunk)));
      socket.once('close', () => sockets.delete(socket));
    });
    server.once('error', (error) => exited.resolve({ code: 1, output: String(error) }));
    server.listen(Number(env.HOLDFAST_AGENT_PORT), env.HOLDFAST_AGENT_HOST);
    return {
      exited: exited.promise,
      signal(name) {
        server.close(() => exited.resolve({ code: name === 'SIGTERM' ? 143 : 137, output: '' }));
        for (const socket of sockets) socket.destroy();
      },
    };
  };

  return {
    startContainer,
    /** All bytes that the agent of this incarnation ever received, as text. */
    received: (uid: string): string => Buffer.concat(received.get(uid) ?? []).toString('latin1'),
  };
}

function agentOf(uid: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  let steps = 0;

  const prove = ({ nonce }: { nonce: string }) => ({
    uid,
    publicKey: publicKey.export({ format: 'jwk' }).x,
    signature: sign(null, Buffer.from(proofText(uid, nonce)), privateKey).toString('base64url'),
  });

  function framesOfStep({ code }: { code: string }): Buffer {
    steps += 1;
    const executed = { contextEpoch: 1, executionCount: steps };
    const started = encodeFrame('started', 1, executed);
    if (code.includes('forever')) return started;
    const done = { status: 'succeeded', ...executed, durationMs: 0, stateSurvived: true, cause: null };
    return Buffer.concat([started, encodeFrame('stdout', 2, Buffer.from(uid)), encodeFrame('done', 3, done)]);
  }

  const answers: Record<string, (body: never) => object | null> = {
    'GET /healthz': () => ({ status: 'ok' }),
    'POST /v1/proof': prove,
    'GET /v1/session': () => ({ uid, sessionId: null, epoch: null, fenced: false }),
    'PUT /v1/session': () => ({ uid, sessionId: null, epoch: null, fenced: false }),
    'GET /v1/steps': () => ({ steps: [] }),
    'POST /v1/steps': framesOfStep,
    'POST /v1/acks': () => null,
    'POST /v1/fence': () => null,
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks = await request.toArray().catch(() => null);
    if (!chunks) return;
    const text = Buffer.concat(chunks).toString();
    const answer = answers[`${request.method} ${request.url}`];
    if (!answer) return void response.writeHead(404).end('{}');
    const said = answer((text === '' ? {} : JSON.parse(text)) as never);
    if (said === null) return void response.writeHead(204).end();
    const bytes = said instanceof Buffer ? said : Buffer.from(JSON.stringify(said));
    if (text.includes('forever')) response.writeHead(200).write(bytes);
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  };
}
