import type { TokenClaims } from '@holdfast/specs/agent';

const rememberedMax = 64;

/**
 * Wraps a verification so that each token is verified once and then remembered until it expires. Checking a signature takes far longer
 * than everything else the agent does for a step.
 */
export function rememberTokens(
  verify: (token: string) => Promise<TokenClaims>,
  expired: (claims: TokenClaims) => boolean,
): (token: string) => TokenClaims | Promise<TokenClaims> {
  const remembered = new Map<string, TokenClaims>();

  return (token) => {
    const known = remembered.get(token);
    if (known && !expired(known)) return known;
    remembered.delete(token);
    return verify(token).then((claims) => {
      const [oldest] = remembered.keys();
      if (oldest !== undefined && remembered.size >= rememberedMax) remembered.delete(oldest);
      remembered.set(token, claims);
      return claims;
    });
  };
}
