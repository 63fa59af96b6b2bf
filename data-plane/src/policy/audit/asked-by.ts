import type { Actor } from '@holdfast/specs/public';
import type { Change } from '../../registry/audit/changed-by.ts';
import type { NewAuditEntry } from '../../registry/audit/record-audit.ts';
import { auditArguments } from './audit-arguments.ts';

type Client = { tenant: string; keyId: string | null; actor?: Actor | null | undefined; actorName?: string | null };

/** A change of a session's row that a client of the API has asked for. */
export const askedBy = (
  { keyId, actor, actorName }: Client,
  operation: string,
  given?: Record<string, unknown>,
): Change => ({
  actor: actor ?? 'host',
  ...(actorName && { actorName }),
  keyId,
  operation,
  ...(given && { arguments: auditArguments(given) }),
});

/** The entry of anything else that a client of the API has done in a session, or to something of its tenant that belongs to none. */
export const entryOf = (
  client: Client,
  sessionId: string | null,
  { operation, ...given }: { operation: string } & Record<string, unknown>,
): NewAuditEntry => ({ ...askedBy(client, operation, given), sessionId, tenant: client.tenant, decision: 'allowed' });
