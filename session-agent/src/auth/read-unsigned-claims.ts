import { type TokenClaims, tokenClaimsSchema } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import { clockToleranceSeconds } from './verify-token.ts';

/**
 * Reads the claims that replace a token while agent authentication is bypassed: base64url JSON. Everything but the signature is checked,
 * so that a request sent to the wrong agent is still rejected.
 * @throws Problem `unauthenticated` or `wrong-sandbox`
 */
export function readUnsignedClaims(
  expected: { issuer: string | null; sandboxUid: string },
  header: string,
  nowMs: number = Date.now(),
): TokenClaims {
  const claims = parse(header);
  if (expected.issuer !== null && claims.iss !== expected.issuer)
    throw unauthenticated('the claims are of another issuer');
  if (isExpired(claims, nowMs)) throw unauthenticated('the claims have expired');
  if (claims.aud !== expected.sandboxUid) {
    throw new Problem('wrong-sandbox', { detail: 'the claims are for another sandbox' });
  }
  return claims;
}

/** Whether claims are past their `exp`, with the same tolerance for clocks as the verification of a token. */
export function isExpired(claims: Pick<TokenClaims, 'exp'>, nowMs: number = Date.now()): boolean {
  return claims.exp <= Math.floor(nowMs / 1000) - clockToleranceSeconds;
}

function parse(header: string): TokenClaims {
  try {
    return tokenClaimsSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
  } catch (cause) {
    throw new Problem('unauthenticated', { detail: 'the claims are not valid', cause });
  }
}

const unauthenticated = (detail: string) => new Problem('unauthenticated', { detail });
