import { hash } from 'node:crypto';
import { Problem, type Scope } from '@holdfast/specs/public';
import { findApiKeyByHash } from '../registry/api-keys/find-api-key-by-hash.ts';
import type { Database } from '../registry/connect.ts';
import type { Caller } from '../sessions/caller.ts';

/**
 * How long a replica goes on accepting a key that was revoked on another one. With the two seconds until such a request is ended, a revocation
 * takes less than five.
 */
const rememberedMs = 2000;
const rememberedMax = 10_000;

const allScopes: ReadonlySet<Scope> = new Set(['run', 'host', 'admin']);

export type Authenticate = ReturnType<typeof createAuthenticate>;

/**
 * Finds the caller by the SHA-256 of the key that was sent.
 * @param keylessTenant the tenant of requests without a key; null if every request needs one
 */
export function createAuthenticate({ db, keylessTenant }: { db: Database; keylessTenant(): string | null }) {
  const remembered = new Map<string, { caller: Caller; untilMs: number }>();

  async function findCaller(digest: Buffer): Promise<Caller> {
    const key = await findApiKeyByHash(db, { hash: digest });
    if (!key) throw new Problem('unauthenticated', { detail: 'the API key is not known' });
    return { tenant: key.tenant, scopes: new Set(key.scopes), keyId: key.id };
  }

  return {
    /** Throws Problem 401. */
    async authenticate(key: string | null): Promise<Caller> {
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
      const caller = await findCaller(digest);
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(name, { caller, untilMs: Date.now() + rememberedMs });
      return caller;
    },

    /** After a revocation on this replica. */
    clear(): void {
      remembered.clear();
    },
  };
}
