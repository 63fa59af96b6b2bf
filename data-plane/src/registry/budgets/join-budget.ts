import { newId } from '@holdfast/specs/public';
import type { Change } from '../audit/changed-by.ts';
import type { Queries } from '../queries.ts';

type SessionKey = { sessionId: string; tenant: string };

/**
 * Gives a live session that has no budget one without limits. In a transaction that goes on to set them.
 * @returns false if there is no such session
 */
export async function joinNewBudget({ sql }: Queries, { sessionId, tenant }: SessionKey): Promise<boolean> {
  const joined = await sql`
    with joined as (
      update sessions set budget_of = ${newId('bud')}, policy_revision = policy_revision + 1
      where id = ${sessionId} and tenant = ${tenant} and budget_of is null and ended_at is null
      returning id, tenant, budget_of
    )
    insert into budgets (id, tenant, session_id) select budget_of, tenant, id from joined`;
  return joined.count > 0;
}

/** Takes a session out of its budget, which is deleted if no other session shares it. The budget is locked by the same transaction. */
export async function leaveBudget(
  { sql }: Queries,
  { sessionId, budgetId, change }: { sessionId: string; budgetId: string; change?: Change | undefined },
): Promise<void> {
  await sql`
    update sessions set
      budget_of = null, policy_revision = policy_revision + 1,
      changed_by = coalesce(
        ${change ? JSON.stringify(change) : null}::text::jsonb || jsonb_build_object('transaction', pg_current_xact_id()::text), changed_by),
      status = case status when 'budget_exceeded' then 'active' else status end
    where id = ${sessionId} and budget_of = ${budgetId} and ended_at is null`;
  await sql`
    delete from budgets where id = ${budgetId} and not exists (select from sessions where budget_of = ${budgetId})`;
}
