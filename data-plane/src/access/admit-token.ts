import { Problem, type Scope, scopeSchema, tenantSchema, tokenScope } from '@holdfast/specs/public';
import { clockToleranceSeconds, type TokenIssuer } from '../keys/token-issuer.ts';
import type { Caller } from '../sessions/caller.ts';

export type TokenRules = {
  issuer: Pick<TokenIssuer, 'verify'>;
  /** The claim with the scopes, as a list or with spaces between them. */
  scopeClaim: string;
  /** The claim with the tenant; null if all tokens belong to `tenant`. */
  tenantClaim: string | null;
  tenant: string;
};

/** OpenID Connect Core 1.0, 2: at most 255 ASCII characters. */
const subjectForm = /^[\x21-\x7e]{1,255}$/;

/**
 * The caller who has a token of the configured issuer, with its subject in the place of a key's id.
 * @throws Problem 401, 403, 503
 */
export async function admitToken(
  { issuer, scopeClaim, tenantClaim, tenant }: TokenRules,
  token: string,
): Promise<Caller> {
  const claims = await issuer.verify(token);
  if (!subjectForm.test(claims.sub)) {
    throw new Problem('unauthenticated', {
      detail: 'the subject of the token must be 1 to 255 visible ASCII characters',
    });
  }
  const owner = tenantSchema.safeParse(tenantClaim === null ? tenant : claims[tenantClaim]);
  if (!owner.success) {
    throw new Problem('forbidden', { detail: `the token has no tenant in its claim ${JSON.stringify(tenantClaim)}` });
  }
  return {
    tenant: owner.data,
    scopes: scopesIn(claims[scopeClaim]),
    keyId: `oidc:${claims.sub}`,
    endsAtMs: performance.now() + (claims.exp + clockToleranceSeconds) * 1000 - Date.now(),
  };
}

function scopesIn(claim: unknown): ReadonlySet<Scope> {
  const given: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return new Set(scopeSchema.options.filter((scope) => given.includes(tokenScope(scope))));
}
