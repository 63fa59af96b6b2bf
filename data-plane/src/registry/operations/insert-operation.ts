import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import type { OperationRow } from '../schema/operations.ts';
import { deniedBy } from './denied-by.ts';

type NewOperation = Pick<OperationRow, 'id' | 'sessionId' | 'stepId' | 'call' | 'name' | 'arguments'> & {
  /** Bounded, and without secrets: see `auditArguments`. */
  auditedArguments: Record<string, unknown>;
  /** How long it may wait for its answer. */
  seconds: number;
  /** If the policy denies it: the error that it gets at once, as JSON, and the entry of the audit log. */
  denial: { answer: string; entry: NewAuditEntry } | null;
};

/** `rule`: by which the policy denied it when it was inserted, or null. */
type Inserted = { isNew: boolean; rule: string | null };

/**
 * Inserts a call unless its step has ended. Inserting it again changes nothing: another replica may have got the same frame before.
 * @returns null: its step has ended
 */
export async function insertOperation(db: Queries, operation: NewOperation): Promise<Inserted | null> {
  const { denial } = operation;
  if (!denial) return await insert(db, operation);
  return await db.transaction(async (tx) => {
    const inserted = await insert(tx, operation);
    if (inserted?.isNew) await recordAudit(tx, denial.entry);
    return inserted;
  });
}

/** The first key of these locks; the second one is the session's. */
const placesLocks = 47;

type Known = Pick<OperationRow, 'status' | 'answer'> & { isNew: boolean };

async function insert({ sql }: Queries, operation: NewOperation): Promise<Inserted | null> {
  const { id, sessionId, stepId, call, name, denial, seconds } = operation;
  const answer = denial?.answer ?? null;
  const [written] = await sql<Known[]>`
    with locked as materialized (
      -- Held until the row can be seen, so a call never appears behind one that a client has seen.
      select pg_advisory_xact_lock(${placesLocks}, hashtext(${sessionId}))
    ), inserted as (
      insert into operations (
        id, session_id, step_id, call, name, arguments, audited_arguments, status, answer, answered_at, deadline)
      select
        ${id}, ${sessionId}, ${stepId}, ${call}::int, ${name}, ${operation.arguments},
        ${JSON.stringify(operation.auditedArguments)}::text::jsonb,
        case when ${answer}::text is null then 'pending' else 'denied' end, ${answer}::text,
        case when ${answer}::text is not null then now() end, now() + ${seconds}::float8 * interval '1 second'
      from locked where not exists (select from steps where id = ${stepId} and finished_at is not null)
      on conflict (id) do nothing
      returning status, answer
    )
    select true as "isNew", status, answer from inserted
    union all select false, status, answer from operations where id = ${id}`;
  // A row that another replica has inserted since the statement began is a conflict for it, which it cannot see.
  const [known] = written
    ? [written]
    : await sql<Known[]>`
    select false as "isNew", status, answer from operations where id = ${id}`;
  return known ? { isNew: known.isNew, rule: deniedBy(known) } : null;
}
