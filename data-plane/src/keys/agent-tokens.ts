import { unsignedClaimsHeader } from '@holdfast/specs/agent';
import { decodeProtectedHeader } from 'jose';
import { type AgentToken, agentClaims, isPastHalfLife, mintToken, type TokenSubject } from './mint-token.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The subject of a token and the token itself; a refresh replaces `token` in place. */
export type TokenHolder = TokenSubject & { token: AgentToken };

export type AgentTokenOptions<Holder extends TokenHolder> = {
  issuer: string;
  /** null: agent authentication is bypassed. */
  keys: SigningKeys | null;
  /** Asks an agent whether it accepts the holder's token. Throws if it does not answer. */
  accepts(holder: Holder): Promise<boolean>;
  /** Stores a refreshed token by compare-and-set on `previous`, its predecessor's expiry; a failure only costs another refresh. */
  storeToken(holder: Holder, previous: Date): void;
};

/** A request under way must not meet the expiry. */
const spareMs = 10_000;

/** Tokens for agents. The first request that finds one past half its life refreshes it. */
export function createAgentTokens<Holder extends TokenHolder>({
  issuer,
  keys,
  accepts,
  storeToken,
}: AgentTokenOptions<Holder>) {
  const refreshing = new Set<string>();

  async function newToken(subject: TokenSubject): Promise<AgentToken> {
    if (keys) return await mintToken({ issuer, key: keys.current }, subject, Date.now());
    const claims = agentClaims(issuer, subject, Date.now());
    return {
      token: Buffer.from(JSON.stringify(claims)).toString('base64url'),
      expiresAt: new Date(claims.exp * 1000),
    };
  }

  async function refresh(holder: Holder): Promise<void> {
    const previous = holder.token.expiresAt;
    holder.token = await successor(holder);
    storeToken(holder, previous);
  }

  /**
   * A token under the current key, unless the agent does not know that key. Only an agent that started before the last rotation may not;
   * it is asked before the previous token is replaced.
   */
  async function successor(holder: Holder): Promise<AgentToken> {
    const token = await newToken(holder);
    if (!keys?.previous || keyIdOf(holder.token) === keys.current.kid) return token;
    const isAccepted = await accepts({ ...holder, token }).catch(() => false);
    return isAccepted ? token : await mintToken({ issuer, key: keys.previous }, holder, Date.now());
  }

  function refreshBeside(holder: Holder): void {
    if (refreshing.has(holder.sandboxUid)) return;
    refreshing.add(holder.sandboxUid);
    refresh(holder)
      .catch(() => {})
      .finally(() => refreshing.delete(holder.sandboxUid));
  }

  const headersOf = ({ token: { token } }: Holder): Record<string, string> =>
    keys ? { authorization: `Bearer ${token}` } : { [unsignedClaimsHeader]: token };

  return {
    newToken,

    /** The headers that let a request in, at once while the token is good: no step waits for a refresh then. */
    authorization(holder: Holder): Record<string, string> | Promise<Record<string, string>> {
      const nowMs = Date.now();
      if (holder.token.expiresAt.getTime() - nowMs < spareMs) return refresh(holder).then(() => headersOf(holder));
      if (isPastHalfLife(holder.token.expiresAt, nowMs)) refreshBeside(holder);
      return headersOf(holder);
    },
  };
}

/** Undefined for a token that could not be opened. */
function keyIdOf({ token }: AgentToken): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}
