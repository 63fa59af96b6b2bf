import { Problem } from '@holdfast/specs/public';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { revokePort as revokePortRow } from '../registry/ports/revoke-port.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import type { OpenPorts } from './open-ports.ts';

type RevokeDependencies = {
  db: Database;
  openPorts: Pick<OpenPorts, 'forget'>;
  openRequests: { endAll(id: string): void };
};

/**
 * Closes a port. This replica refuses its visitors and ends their connections at once, the others within five seconds.
 * @throws Problem 404, 410 (deleted session)
 */
export async function revokePort(
  { db, openPorts, openRequests }: RevokeDependencies,
  { caller, sessionId, portId: id }: { caller: Caller; sessionId: string; portId: string },
): Promise<void> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const entry = entryOf(caller, sessionId, { operation: 'port.revoke', portId: id });
  const revoked = await db.transaction(async (tx) => {
    const row = await revokePortRow(tx, { id, sessionId });
    if (row.result === 'revoked') await recordAudit(tx, entry);
    return row;
  });
  if (revoked.result === 'not-found')
    throw new Problem('not-found', { detail: `port ${id} does not exist in this session` });
  if (revoked.result === 'revoked') openPorts.forget(revoked.port);
  openRequests.endAll(id);
}
