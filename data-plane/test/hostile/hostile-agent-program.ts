import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { proofText } from '@holdfast/specs/agent';
import { type Attack, answerAttacks, headAttacks, sender, stepAttacks } from './attacks.ts';

// A session-agent under the control of an attacker. It proves its key, so that it is bound; every other answer is an attack.
const { HOLDFAST_AGENT_HOST: host, HOLDFAST_AGENT_PORT: port, HOLDFAST_SANDBOX_UID: uid = '' } = process.env;
const keys = generateKeyPairSync('ed25519');
const publicKey = keys.publicKey.export({ format: 'jwk' }).x;
/** By step id: the attack that the step's code names. */
const chosen = new Map<string, Attack>();
let answered = 0;
let jobs = process.pid;

createServer(async (request, response) => {
  response.socket?.on('error', () => {});
  const text = await textOf(request);
  const path = (request.url ?? '').split('?')[0] as string;
  if (path === '/v1/proof') return answer(response, proof(text));
  if (path === '/healthz' || (path === '/v1/session' && request.method === 'PUT')) return answer(response, {});
  attack(path, text, response).catch(() => response.socket?.destroy());
}).listen(Number(port), host);

async function attack(path: string, text: string, response: ServerResponse): Promise<unknown> {
  const { socket } = response;
  if (!socket) return;
  const send = sender(socket);
  const number = answered++;
  const onStep = stepAttack(path, text);
  if (!onStep && number % 8 === 7) return await (headAttacks[number % headAttacks.length] as Attack)(send);
  const status = !onStep && number % 5 === 4 ? 500 : 200;
  await send(`HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
  await (onStep ?? (answerAttacks[number % answerAttacks.length] as Attack))(send);
}

function stepAttack(path: string, text: string): Attack | undefined {
  const [, attached] = /^\/v1\/steps\/(\w+)\/attach$/.exec(path) ?? [];
  if (attached) return chosen.get(attached) ?? stepAttacks['long stdout'];
  if ((path !== '/v1/steps' && path !== '/v1/jobs') || text === '') return undefined;
  const { jobId, stepId = jobId, code = jobAttack() } = JSON.parse(text);
  const named = stepAttacks[code];
  if (named) chosen.set(stepId, named);
  return named;
}

/** A job has no code, so its attack is the next one. */
function jobAttack(): string | undefined {
  const names = Object.keys(stepAttacks);
  return names[jobs++ % names.length];
}

function proof(text: string) {
  const signature = sign(null, Buffer.from(proofText(uid, JSON.parse(text).nonce)), keys.privateKey);
  return { uid, publicKey, signature: signature.toString('base64url') };
}

function answer(response: ServerResponse, body: object): void {
  const json = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length }).end(json);
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
