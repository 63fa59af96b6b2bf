import type { Queries } from '../queries.ts';
import { wholeMicroseconds } from './audit-view.ts';
import type { ListedAuditEntry } from './list-audit.ts';

/** An entry in the order in which the entries of its session became visible. */
export type AuditEvent = Omit<ListedAuditEntry, 'keyId'> & { number: number };

type EventsInput = { sessionId: string; after: number; upTo: number; limit: number };

/**
 * Entries by number, without those of steps that were admitted: their events say as much. A policy or an operation of the host makes sure that the
 * step of a call has its row before the entry, so all readers see the same turn.
 */
export async function listAuditEvents(
  { sql }: Queries,
  { sessionId, after, upTo, limit }: EventsInput,
): Promise<AuditEvent[]> {
  return await sql<AuditEvent[]>`
    select a.id::float8 as number, 'a' || lpad(a.id::text, 19, '0') as id, time, coalesce(a.turn, s.number) as turn, a.step_id as "stepId",
      a.actor, a.actor_name as "actorName", operation, arguments, decision, rule,
      ${sql.unsafe(wholeMicroseconds('a.duration_ms'))} as "durationMs", tokens::float8 as tokens, trim_scale(cost)::text as cost, a.count
    from audit_entries a left join steps s on s.id = a.step_id
    where a.session_id = ${sessionId} and a.id > ${after}::int8 and a.id <= ${upTo}::int8
      and not (operation in ('step.run', 'job.run') and decision = 'allowed')
    order by a.id limit ${limit}::int`;
}
