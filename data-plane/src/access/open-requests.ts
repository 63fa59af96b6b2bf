import { listRevokedApiKeys } from '../registry/api-keys/list-revoked-api-keys.ts';
import type { Database } from '../registry/connect.ts';
import { listClosedPorts } from '../registry/ports/list-closed-ports.ts';
import { listDeadShares } from '../registry/shares/list-dead-shares.ts';

/** The requests that are under way on this replica, by API key, share link or open port, so that none outlives it. */
export function createOpenRequests({ db }: { db: Database }) {
  const open = new Map<string, Set<() => void>>();

  /** Ends the requests with this key, link or port. */
  function endAll(id: string): void {
    for (const end of [...(open.get(id) ?? [])]) end();
  }

  return {
    /** Adds a request. `end` closes its connection. Returns a function to call when the request has ended. */
    add(keyId: string, end: () => void): () => void {
      const ofKey = open.get(keyId) ?? new Set();
      open.set(keyId, ofKey.add(end));
      return () => {
        if (ofKey.delete(end) && ofKey.size === 0) open.delete(keyId);
      };
    },

    endAll,

    /** Ends the requests whose keys, links or ports are revoked by now, on any replica. */
    async endRevoked(): Promise<void> {
      const of = Map.groupBy(open.keys(), (id) => id.slice(0, 4));
      const ids = (prefix: string) => ({ ids: of.get(prefix) ?? [] });
      const dead = [
        await listRevokedApiKeys(db, ids('key_')),
        await listDeadShares(db, ids('shr_')),
        await listClosedPorts(db, ids('prt_')),
      ];
      for (const id of dead.flat()) endAll(id);
    },
  };
}
