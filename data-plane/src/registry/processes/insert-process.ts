import type { Queries } from '../queries.ts';
import type { ProcessRow } from '../schema/processes.ts';

/** Ended processes beyond this number are forgotten, the oldest first. */
const keptMax = 500;

/** How long an Idempotency-Key counts: a repeat must not seem to be a request for a process that never ran. */
const keySeconds = 24 * 60 * 60;
/** Those with a key are kept in a number that each start can look through. */
const keptWithKeyMax = 2000;

export type NewProcess = Pick<
  ProcessRow,
  | 'id'
  | 'sessionId'
  | 'epoch'
  | 'actor'
  | 'actorName'
  | 'keyId'
  | 'command'
  | 'cwd'
  | 'terminal'
  | 'timeoutMs'
  | 'fingerprint'
  | 'replicaId'
  | 'admissionId'
> & {
  /** The policy by which it was judged. */
  policyRevision: number;
  /** The most time that it reserves from a budget at once. */
  sliceMs: number;
  /** How many processes of the session may run at a time, this one among them. */
  processesMax: number;
  /** For the audit log. */
  audited: Record<string, unknown>;
};

export type AdmittedProcess = Pick<ProcessRow, 'number' | 'startedAt' | 'budgetId' | 'reservedMs'>;

/** The budget is locked before the session, as everywhere. */
const text = `
  with budget as materialized (
    select id, is_used_up, floor(time_ms - time_used_ms - time_reserved_ms) as ms_left,
      coalesce(iterations_used + iterations_reserved + 1 <= iterations, true) as has_iteration
    from budgets where id = (select budget_of from sessions where id = $2) for update
  ), s as (
    select id, tenant, process_count, running_processes, budget_of from sessions
    where id = $2 and status = 'active' and epoch = $3 and policy_revision = $14 and (select count(*) from budget) >= 0
    for update
  ), admitted as (
    insert into processes (
      id, session_id, epoch, actor, actor_name, key_id, command, cwd, terminal, timeout_ms, fingerprint, replica_id, admission_id,
      number, budget_id, reserved_ms
    )
    select $1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $9::text::jsonb, $10::int, $11, $12, $13,
      s.process_count + 1, b.id, case when b.ms_left is not null then least($10::int, $15::int, b.ms_left)::int end
    from s left join budget b on true
    where s.budget_of is not distinct from b.id and s.running_processes < $17
      and (b.id is null or (b.has_iteration and not b.is_used_up and coalesce(b.ms_left >= 1, true)))
    on conflict (id) do nothing
    returning id, session_id, number, started_at, budget_id, reserved_ms
  ), counted as (
    update sessions set process_count = a.number, last_activity_at = now()
    from admitted a where sessions.id = a.session_id
    returning a.id, a.session_id, a.number, tenant
  ), taken as (
    update budgets set
      iterations_used = iterations_used + 1,
      time_reserved_ms = time_reserved_ms + coalesce(a.reserved_ms, 0)
    from admitted a where budgets.id = a.budget_id
  ), forgotten as (
    delete from processes p using admitted a
    where p.session_id = a.session_id and p.number <= a.number - ${keptMax} and p.finished_at is not null
      and (p.fingerprint is null or p.number <= a.number - ${keptWithKeyMax} or p.finished_at < now() - ${keySeconds} * interval '1 second')
  ), audited as (
    insert into audit_entries (session_id, tenant, actor, actor_name, key_id, operation, arguments, decision)
    select session_id, tenant, $4, $5, $6, 'process.start',
      jsonb_build_object('processId', id, 'number', number) || $16::text::jsonb, 'allowed'
    from counted
  )
  select number, started_at as "startedAt", budget_id as "budgetId", reserved_ms as "reservedMs" from admitted`;

/**
 * Admits a process before anything is sent, in one statement that repeats the conditions it relies on: the session is active in this epoch, under
 * the policy by which the process was judged, runs fewer than it may, and its budget has an iteration and some time for it.
 *
 * @returns null: one of the conditions does not hold, or the process has a row already
 */
export async function insertProcess({ sql }: Queries, given: NewProcess): Promise<AdmittedProcess | null> {
  const { terminal } = given;
  const values = [
    given.id,
    given.sessionId,
    given.epoch,
    given.actor,
    given.actorName,
    given.keyId,
    JSON.stringify(given.command),
    given.cwd,
    terminal && JSON.stringify(terminal),
    given.timeoutMs,
    given.fingerprint,
    given.replicaId,
    given.admissionId,
    given.policyRevision,
    given.sliceMs,
    JSON.stringify(given.audited),
    given.processesMax,
  ];
  const [row] = await sql.unsafe<AdmittedProcess[]>(text, values, { prepare: true });
  return row ?? null;
}
