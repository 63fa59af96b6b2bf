import { listRevokedApiKeys } from '../registry/api-keys/list-revoked-api-keys.ts';
import type { Database } from '../registry/connect.ts';

/** The requests that are under way on this replica, by API key, so that none outlives the revocation of its key. */
export function createOpenRequests({ db }: { db: Database }) {
  const open = new Map<string, Set<() => void>>();

  return {
    /** Adds a request. `end` closes its connection. Returns a function to call when the request has ended. */
    add(keyId: string, end: () => void): () => void {
      const ofKey = open.get(keyId) ?? new Set();
      open.set(keyId, ofKey.add(end));
      return () => {
        if (ofKey.delete(end) && ofKey.size === 0) open.delete(keyId);
      };
    },

    /** Ends the requests whose keys are revoked by now, on any replica. */
    async endRevoked(): Promise<void> {
      for (const keyId of await listRevokedApiKeys(db, { ids: [...open.keys()] })) {
        for (const end of [...(open.get(keyId) ?? [])]) end();
      }
    },
  };
}
