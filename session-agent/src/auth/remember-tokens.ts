import type { TokenClaims } from '@holdfast/specs/agent';

const rememberedMax = 64;

/**
 * Wraps a verification so that each token, in its whole header field, is verified once and then remembered until it expires. Checking a
 * signature takes far longer than everything else the agent does for a step.
 */
export function rememberTokens(
  verify: (authorization: string) => Promise<TokenClaims>,
  expired: (claims: TokenClaims) => boolean,
): (authorization: string) => TokenClaims | Promise<TokenClaims> {
  const remembered = new Map<string, TokenClaims>();

  return (authorization) => {
    const known = remembered.get(authorization);
    if (known && !expired(known)) return known;
    remembered.delete(authorization);
    return verify(authorization).then((claims) => {
      const [oldest] = remembered.keys();
      if (oldest !== undefined && remembered.size >= rememberedMax) remembered.delete(oldest);
      remembered.set(authorization, claims);
      return claims;
    });
  };
}
