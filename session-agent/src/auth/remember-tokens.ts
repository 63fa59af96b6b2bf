import type { TokenClaims } from '@holdfast/specs/agent';

const rememberedMax = 64;

/**
 * Wraps a verification so that the same token is verified once and then known until it expires: the signature costs far
 * more than all the rest of a step's way through the agent.
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
