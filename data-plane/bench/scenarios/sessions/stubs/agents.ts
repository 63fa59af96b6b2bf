/**
 * Session-agents without interpreters, as many as there are loopback addresses: the address to which a connection goes names the agent. Each
 * one proves its uid, accepts any session, and answers every step at once with one line. Prints its port.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeFrame, proofText } from '@holdfast/specs/agent';
import { stubOutput, stubUid } from './stub-runtime.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const rawKey = publicKey.export({ format: 'jwk' }).x;

const executed = { contextEpoch: 1, executionCount: 1 };
const step = Buffer.concat([
  encodeFrame('started', 1, executed),
  encodeFrame('stdout', 2, Buffer.from(stubOutput)),
  encodeFrame('done', 3, { status: 'succeeded', ...executed, durationMs: 0, stateSurvived: true, cause: null }),
]);

function prove(uid: string, { nonce }: { nonce: string }): object {
  const signature = sign(null, Buffer.from(proofText(uid, nonce)), privateKey).toString('base64url');
  return { uid, publicKey: rawKey, signature };
}

/** Null: 204, without a body. */
function answerTo(operation: string, uid: string, body: string): Buffer | object | null {
  if (operation === 'POST /v1/steps') return step;
  if (operation === 'POST /v1/proof') return prove(uid, JSON.parse(body));
  if (operation === 'GET /v1/steps') return { steps: [] };
  if (operation === 'POST /v1/acks' || operation === 'POST /v1/fence') return null;
  return { uid, sessionId: null, epoch: null, fenced: false };
}

const server = createServer({ noDelay: true, keepAliveTimeout: 0 }, (request, response) => {
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    const answer = answerTo(`${request.method} ${request.url}`, stubUid(request.socket.localAddress ?? ''), text);
    if (answer === null) return response.writeHead(204).end();
    const bytes = answer instanceof Buffer ? answer : Buffer.from(JSON.stringify(answer));
    return response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
});
// Nothing but this machine may reach it, although one listener serves all loopback addresses.
server.on('connection', (socket) => socket.localAddress?.startsWith('127.') || socket.destroy());
server.listen({ host: '0.0.0.0', port: 0, backlog: 4096 }, () => console.log((server.address() as AddressInfo).port));
process.stdin.on('end', () => process.exit()).resume();
