import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';

/** The row of a step as one replica inserted it. */
export type UnsentStep = {
  id: string;
  replicaId: string;
  /** The admission that inserted the row; null for a step that needed none. */
  admissionId: string | null;
};

/**
 * Deletes the rows of a step that provably did not start, and of its inputs, so that its Idempotency-Key can be used again, and gives back
 * to the budget what the step has reserved. This is a
 * late statement if an earlier answer was lost, so it names the admission: a repeat of the request may have admitted the step anew.
 *
 * @returns false if there is no such row, or the step was handed over
 */
export async function withdrawStep(db: Queries, { id, replicaId, admissionId }: UnsentStep): Promise<boolean> {
  const [withdrawn] = await db.sql<{ sessionId: string; inputs: number }[]>`
      with withdrawn as (
        delete from steps
        where id = ${id} and replica_id = ${replicaId} and admission_id is not distinct from ${admissionId}::text
          and status in ('queued', 'running')
        returning id, session_id, number, actor, key_id, admission_id, octet_length(code) as bytes,
          budget_id, reserved_iterations, reserved_ms
      ), given_back as (
        update budgets set
          iterations_reserved = iterations_reserved - reserved_iterations,
          time_reserved_ms = time_reserved_ms - coalesce(reserved_ms, 0)
        from withdrawn where budgets.id = budget_id
        returning budgets.id
      ), counted as (
        update sessions set history_bytes = history_bytes - bytes from withdrawn
        where sessions.id = withdrawn.session_id and (select count(*) from given_back) >= 0
        returning sessions.id, sessions.tenant, number, withdrawn.id as step_id, actor, key_id, admission_id
      ), audited as (
        -- A step without an admission has no entry that this one would have to correct.
        insert into audit_entries (session_id, tenant, turn, step_id, actor, key_id, operation, decision)
        select id, tenant, number, step_id, actor, key_id, 'step.withdraw', 'allowed' from counted where admission_id is not null
      ), inputs as (
        delete from artifacts using withdrawn where step_id = withdrawn.id returning artifacts.id
      )
      select session_id as "sessionId", (select count(*)::int from inputs) as inputs from withdrawn`;
  if (withdrawn && withdrawn.inputs > 0) await db.transaction((tx) => recountKeptBytes(tx, withdrawn));
  return withdrawn !== undefined;
}
