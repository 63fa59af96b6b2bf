import type { Queries } from '../queries.ts';
import type { ProcessRow } from '../schema/processes.ts';

type Unstarted = Pick<ProcessRow, 'id' | 'admissionId'>;

/**
 * Deletes the row of a process that provably did not start, so that its Idempotency-Key can be used again, and gives back to the budget what it was
 * charged and had reserved. It names the admission: a repeat of the request may have admitted the process anew.
 */
export async function withdrawProcess({ sql }: Queries, { id, admissionId }: Unstarted): Promise<void> {
  await sql`
    with budget as materialized (
      select id from budgets where id = (select budget_id from processes where id = ${id}) for update
    ), session as materialized (
      select id from sessions
      where id = (select session_id from processes where id = ${id}) and (select count(*) from budget) >= 0
      for update
    ), withdrawn as (
      delete from processes
      where id = ${id} and admission_id = ${admissionId} and status = 'running' and (select count(*) from session) >= 0
      returning id, session_id, number, actor, actor_name, key_id, budget_id, reserved_ms
    ), given_back as (
      update budgets set
        iterations_used = iterations_used - 1,
        time_reserved_ms = time_reserved_ms - coalesce(reserved_ms, 0)
      from withdrawn where budgets.id = budget_id
    )
    insert into audit_entries (session_id, tenant, actor, actor_name, key_id, operation, arguments, decision)
    select session_id, tenant, actor, actor_name, key_id, 'process.withdraw',
      jsonb_build_object('processId', w.id, 'number', number), 'allowed'
    from withdrawn w join sessions on sessions.id = session_id`;
}
