import type { AuditActor, AuditDecision } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** An entry as it is recorded; see the schema of the table for its fields. */
export type NewAuditEntry = {
  /** Null for anything that belongs to no session. */
  sessionId: string | null;
  tenant: string;
  actor: AuditActor;
  actorName?: string | null | undefined;
  keyId?: string | null | undefined;
  operation: string;
  /** Bounded, and without secrets: see `auditArguments`. */
  arguments?: Record<string, unknown> | undefined;
  decision: AuditDecision;
  rule?: string | null | undefined;
  stepId?: string | null | undefined;
  turn?: number | null | undefined;
  durationMs?: number | null | undefined;
  tokens?: number | null | undefined;
  /** A decimal number. */
  cost?: string | null | undefined;
  /** How many calls it stands for; one unless it says more. `durationMs` is their sum then. */
  count?: number | undefined;
};

/** Adds entries to the audit log. Called in the transaction that makes the change, so neither is there without the other. */
export async function recordAudit(db: Queries, ...entries: readonly NewAuditEntry[]): Promise<void> {
  await insertionOf(db, entries);
}

/** The statement, which may be a part of another one. */
export const insertionOf = ({ sql }: Pick<Queries, 'sql'>, entries: readonly NewAuditEntry[]) => sql`
  insert into audit_entries (${sql.unsafe(columns)})
  select ${sql.unsafe(columns)} from jsonb_to_recordset(${JSON.stringify(entries.map(named))}::text::jsonb) as r(
    session_id text, tenant text, actor text, actor_name text, key_id text, operation text, arguments jsonb, decision text,
    rule text, step_id text, turn int, duration_ms float8, tokens bigint, cost numeric, count int)`;

const columns =
  'session_id, tenant, actor, actor_name, key_id, operation, arguments, decision, rule, step_id, turn, duration_ms, tokens, cost, count';

const named = (entry: NewAuditEntry) => ({
  session_id: entry.sessionId,
  tenant: entry.tenant,
  actor: entry.actor,
  actor_name: entry.actorName,
  key_id: entry.keyId,
  operation: entry.operation,
  arguments: entry.arguments,
  decision: entry.decision,
  rule: entry.rule,
  step_id: entry.stepId,
  turn: entry.turn,
  duration_ms: entry.durationMs,
  tokens: entry.tokens,
  cost: entry.cost,
  count: entry.count ?? 1,
});
