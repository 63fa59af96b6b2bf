import { hash } from 'node:crypto';
import { Problem, type Scope } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { shareIdIn } from '../keys/share-token.ts';
import { isJwt } from '../keys/token-issuer.ts';
import { findApiKeyByHash } from '../registry/api-keys/find-api-key-by-hash.ts';
import type { Database } from '../registry/connect.ts';
import type { Caller } from '../sessions/caller.ts';
import { admitShare } from './admit-share.ts';
import { admitToken, type TokenRules } from './admit-token.ts';

/**
 * How long a replica goes on accepting a key that was revoked on another one. With the two seconds until such a request is ended, a revocation
 * takes less than five.
 */
const rememberedMs = 2000;
/** A token cannot be revoked, so this is only how soon one is refused after its issuer has withdrawn the key that signed it. */
const tokenRememberedMs = 60_000;
const rememberedMax = 10_000;

const allScopes: ReadonlySet<Scope> = new Set(['run', 'host', 'admin']);

type AuthenticateDependencies = {
  db: Database;
  seal: Pick<Seal, 'verify'>;
  keylessTenant(): string | null;
  /** Null: no issuer is configured, so a token is an unknown key. */
  tokens: TokenRules | null;
};

export type Authenticate = ReturnType<typeof createAuthenticate>;

/**
 * Finds the caller by the SHA-256 of the key that was sent, or by the signature of the token of a share link or of the configured issuer.
 * @param keylessTenant the tenant of requests without a key; null if every request needs one
 */
export function createAuthenticate({ db, seal, keylessTenant, tokens }: AuthenticateDependencies) {
  const remembered = new Map<string, { caller: Caller; untilMs: number }>();
  /** Until when it is remembered that a key does not exist. Keys are random, so none is sent before it is made. */
  const unknown = new Map<string, number>();

  async function findCaller(digest: Buffer): Promise<Caller> {
    const key = await findApiKeyByHash(db, { hash: digest });
    if (!key) {
      if (unknown.size >= rememberedMax) unknown.clear();
      unknown.set(digest.toString('latin1'), Date.now() + rememberedMs);
      throw unknownKey();
    }
    const { id: keyId, tenant, scopes, actor, actorName } = key;
    return { tenant, scopes: new Set(scopes), keyId, actor, actorName };
  }

  function admit(key: string, digest: Buffer): Promise<Caller> {
    if (tokens && isJwt(key)) return admitToken(tokens, key);
    return shareIdIn(key) ? admitShare({ db, seal }, key) : findCaller(digest);
  }

  return {
    /** At once if the key is remembered. Throws Problem 401, and for a token 403 and 503. */
    authenticate(key: string | null): Caller | Promise<Caller> {
      if (key === null) {
        const tenant = keylessTenant();
        if (tenant === null) throw new Problem('unauthenticated', { detail: 'no API key was sent' });
        return { tenant, scopes: allScopes, keyId: null };
      }
      const digest = hash('sha256', key, 'buffer');
      const name = digest.toString('latin1');
      const known = remembered.get(name);
      if (known && known.untilMs > Date.now()) return known.caller;
      remembered.delete(name);
      if ((unknown.get(name) ?? 0) > Date.now()) throw unknownKey();
      unknown.delete(name);
      return admit(key, digest).then((caller) => {
        if (remembered.size >= rememberedMax) remembered.clear();
        remembered.set(name, { caller, untilMs: Date.now() + rememberedMsOf(caller) });
        return caller;
      });
    },

    /** After a revocation on this replica. */
    clear(): void {
      remembered.clear();
    },
  };
}

function rememberedMsOf({ share, endsAtMs }: Caller): number {
  if (endsAtMs === undefined) return rememberedMs;
  return Math.min(share ? rememberedMs : tokenRememberedMs, endsAtMs - performance.now());
}

const unknownKey = () => new Problem('unauthenticated', { detail: 'the API key is not known' });
