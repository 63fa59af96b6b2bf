import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proofText, unsignedClaimsHeader } from '@holdfast/specs/agent';

/** As a real agent it proves its key; unlike one it lets in every session that comes, and remembers which. */
export type ScriptedAgent = {
  endpoint: string;
  /** As the proof has it. */
  publicKey: string;
  /** The sessions that it was told it has. */
  sessions: Set<string>;
  /** Ends it as a crash would. */
  crash(): Promise<void>;
};

/** Answers a request that the agent itself knows nothing of, and says whether it did. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A session-agent without kernels, in this process: hundreds of them cost nothing. */
export async function startScriptedAgent(uid: string, answering: Answering = () => false): Promise<ScriptedAgent> {
  const keys = generateKeyPairSync('ed25519');
  const publicKey = keys.publicKey.export({ format: 'jwk' }).x as string;
  const sessions = new Set<string>();

  const answers: Record<string, (request: IncomingMessage) => Promise<object>> = {
    'GET /healthz': async () => ({ status: 'ok' }),
    'POST /v1/proof': async (request) => {
      const { nonce } = JSON.parse(await textOf(request));
      const signature = sign(null, Buffer.from(proofText(uid, nonce)), keys.privateKey).toString('base64url');
      return { uid, publicKey, signature };
    },
    'PUT /v1/session': async (request) => {
      await textOf(request);
      sessions.add(claimsOf(request).sub);
      return {};
    },
    'POST /v1/fence': async () => ({}),
    'PUT /v1/policy': async () => ({}),
    'POST /v1/acks': async () => ({}),
    'GET /v1/steps': async () => ({ steps: [] }),
  };

  const server = createServer({ noDelay: true }, async (request, response) => {
    if (answering(request, response)) return;
    const answer = answers[`${request.method} ${request.url}`];
    const body = JSON.stringify(answer ? await answer(request) : {});
    const head = { 'content-type': 'application/json', 'content-length': body.length };
    response.writeHead(answer ? 200 : 404, head).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKey,
    sessions,
    async crash() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const claimsOf = (request: IncomingMessage): { sub: string } =>
  JSON.parse(Buffer.from(String(request.headers[unsignedClaimsHeader]), 'base64url').toString());
