import { generateKeyPairSync, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { type TokenClaims, tokenAlgorithm, tokenType } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { Hono } from 'hono';
import { createAuthenticate } from '../auth/create-authenticate.ts';
import { createBinding } from '../auth/create-binding.ts';
import { ContextSet } from '../contexts/context-set.ts';
import { requireToken } from './create-app.ts';
import { type Environment, requestOf } from './listen.ts';
import { sessionOperations } from './session-operations.ts';

type Rehearsal = { sandboxUid: string } & Pick<
  ConstructorParameters<typeof ContextSet>[0],
  'limits' | 'files' | 'watch' | 'workspace' | 'tmp'
>;

/**
 * Handles the request by which a session claims a sandbox, but for a session that does not exist, with a key made for it, and beside
 * the agent's own state. V8 compiles a function when it first runs, which is most of the time that an agent's first request takes. So a
 * sandbox that waits does this before it is claimed.
 */
export async function rehearseClaim({ sandboxUid, ...own }: Rehearsal): Promise<void> {
  const { token, auth } = throwawayToken(sandboxUid);
  const binding = createBinding({ onSuperseded() {} });
  const contexts = new ContextSet({
    ...own,
    listLanguages: () => ['python'],
    startKernel,
    onFenced() {},
    onConfining() {},
  });
  const app = new Hono<Environment>();
  const authenticate = await createAuthenticate({ config: { auth, sandboxUid }, binding });
  app.use(requireToken({ authenticate, onRequest() {} }));
  const jobs = { busy: false, async quiesce() {} };
  sessionOperations(app, {
    sandboxUid,
    binding,
    contexts,
    jobs,
    ports: { close() {} },
    processes: { async end() {} },
    workspaceFiles: { workspace: { descriptor: -1 }, watch: { scanAhead() {} } },
  });
  const { status } = await app.fetch(...claim(token));
  if (status !== 200) throw new Error(`the claim was answered with ${status}`);
}

/** Starts none: the first kernel belongs to the session. */
function startKernel(): never {
  throw new Error('a rehearsal has no kernel');
}

function claim(token: string): [Request, Environment['Bindings']] {
  const body = Buffer.from(JSON.stringify({ language: 'python', env: {} }));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const parts = { method: 'PUT', url: '/v1/session', headers };
  const incoming = Object.assign(Readable.from([body]), parts) as unknown as Environment['Bindings']['incoming'];
  return [requestOf(incoming), { incoming } as Environment['Bindings']];
}

/** A token of a key that only the rehearsal knows. */
function throwawayToken(sandboxUid: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const [issuer, kid, iat] = ['rehearsal', 'rehearsal', Math.floor(Date.now() / 1000)];
  const claims: TokenClaims = {
    iss: issuer,
    aud: sandboxUid,
    sub: newId('ses'),
    epoch: 1,
    iat,
    exp: iat + 60,
    jti: kid,
  };
  const header = { alg: tokenAlgorithm, typ: tokenType, kid };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const { x } = publicKey.export({ format: 'jwk' });
  return {
    token: `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`,
    auth: { bypassed: false, issuer, keys: [{ kty: 'OKP' as const, crv: 'Ed25519' as const, x: String(x), kid }] },
  };
}
