import { expect, test } from 'vitest';
import { createAuthenticate } from './authenticate.ts';

const token = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';

/** Authentication whose tokens end after so long, and how often one was verified. */
function authentication(leftMs: number) {
  const verified: string[] = [];
  const issuer = {
    async verify(given: string) {
      verified.push(given);
      return { sub: 'alice', exp: (Date.now() + leftMs) / 1000, scope: 'holdfast:run' };
    },
  };
  const { authenticate } = createAuthenticate({
    db: undefined as never,
    seal: { verify: () => false },
    keylessTenant: () => null,
    tokens: { issuer, scopeClaim: 'scope', tenantClaim: null, tenant: 'acme' },
  });
  return { authenticate, verified };
}

test('a token is verified once, and its caller is there at once from then on', async () => {
  const { authenticate, verified } = authentication(60_000);
  expect(await authenticate(token)).toMatchObject({ tenant: 'acme', keyId: 'oidc:alice', scopes: new Set(['run']) });
  expect(authenticate(token)).not.toBeInstanceOf(Promise);
  expect(verified).toEqual([token]);
});

test('a token is not remembered beyond its end', async () => {
  const { authenticate, verified } = authentication(-60_000);
  await authenticate(token);
  await authenticate(token);
  expect(verified).toHaveLength(2);
});
