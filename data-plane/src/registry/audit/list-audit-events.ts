import type { Queries } from '../queries.ts';
import type { ListedAuditEntry } from './list-audit.ts';

/** An entry in the order in which the entries of its session became visible. */
export type AuditEvent = Omit<ListedAuditEntry, 'keyId'> & { number: number };

type EventsInput = { sessionId: string; after: number; upTo: number; limit: number };

/** Entries by number, without those of steps that were admitted: their events say as much. */
export async function listAuditEvents(
  { sql }: Queries,
  { sessionId, after, upTo, limit }: EventsInput,
): Promise<AuditEvent[]> {
  return await sql<AuditEvent[]>`
    select id::float8 as number, 'a' || lpad(id::text, 19, '0') as id, time, turn, step_id as "stepId", actor, actor_name as "actorName", operation,
      arguments, decision, rule, duration_ms as "durationMs", tokens::float8 as tokens, cost::float8 as cost
    from audit_entries
    where session_id = ${sessionId} and id > ${after}::int8 and id <= ${upTo}::int8
      and not (operation in ('step.run', 'job.run') and decision = 'allowed')
    order by audit_entries.id limit ${limit}::int`;
}
