import type { Queries } from '../queries.ts';
import type { StepRow } from '../schema/steps.ts';
import type { StepRecord } from './record-steps.ts';
import { nameOf, parameterOf, startColumns, valuesOf } from './step-columns.ts';

const given = startColumns.filter((column) => column !== 'timeoutMs');
const columns = [
  ...given,
  'timeoutMs',
  'reservedIterations',
  'job',
  'replicaId',
  'fingerprint',
  'admissionId',
  'replay',
  'parentStepId',
  'isSilent',
  'expressions',
] as const;
const inserted = [
  ...given,
  'job',
  'replicaId',
  'fingerprint',
  'admissionId',
  'replay',
  'parentStepId',
  'isSilent',
  'expressions',
  'reservedIterations',
] as const;
/** Null if nothing depends on the policy. */
const policyRevision = `$${columns.length + 1}::int`;
const parameter = (column: (typeof columns)[number]) => parameterOf(columns, column);

/**
 * The budget is locked before the session, as everywhere. A step reserves the time that it may take, or all that is left if that is less,
 * which then is its timeout.
 */
const text = `
  with budget as materialized (
    select id, is_used_up, floor(time_ms - time_used_ms - time_reserved_ms) as ms_left,
      coalesce(iterations_used + iterations_reserved + ${parameter('reservedIterations')} <= iterations, true) as has_iteration
    from budgets where id = (select budget_of from sessions where id = ${parameter('sessionId')}) for update
  ), s as (
    select id, tenant, step_count, budget_of, webhooks is not null as notifies from sessions
    where id = ${parameter('sessionId')} and status = 'active' and epoch = ${parameter('epoch')}
      and policy_revision = coalesce(${policyRevision}, policy_revision) and (select count(*) from budget) >= 0
    for update
  ), admitted as (
    insert into steps (${inserted.map(nameOf)}, number, status, timeout_ms, budget_id, reserved_ms, reserved_at, is_cut_by_budget, notifies)
    select
      ${inserted.map((column) => (column === 'reservedIterations' ? `case when b.id is null then 0 else ${parameter(column)} end` : parameter(column)))},
      s.step_count + 1, 'queued', least(${parameter('timeoutMs')}, b.ms_left)::int, b.id,
      case when b.ms_left is not null then least(${parameter('timeoutMs')}, b.ms_left)::int end,
      case when b.id is not null then clock_timestamp() end, coalesce(b.ms_left < ${parameter('timeoutMs')}, false), s.notifies
    from s left join budget b on true
    where s.budget_of is not distinct from b.id
      and (b.id is null or (b.has_iteration and not b.is_used_up and coalesce(b.ms_left >= 1, true)))
    on conflict (id) do nothing
    returning id, session_id, number, timeout_ms, budget_id, reserved_iterations, reserved_ms, is_cut_by_budget
  ), counted as (
    update sessions set
      step_count = a.number, last_activity_at = now(),
      history_bytes = history_bytes + octet_length(${parameter('code')})
    from admitted a where sessions.id = a.session_id
    returning a.session_id, a.number, tenant
  ), taken as (
    update budgets set
      iterations_reserved = iterations_reserved + a.reserved_iterations,
      time_reserved_ms = time_reserved_ms + coalesce(a.reserved_ms, 0)
    from admitted a where budgets.id = a.budget_id
  ), audited as (
    insert into audit_entries (session_id, tenant, turn, step_id, actor, actor_name, key_id, operation, arguments, decision)
    select session_id, tenant, number, ${parameter('id')}, ${parameter('actor')}, ${parameter('actorName')},
      ${parameter('keyId')}, case when ${parameter('job')} is null then 'step.run' else 'job.run' end,
      jsonb_build_object('contextId', ${parameter('contextId')}, 'language', ${parameter('language')}), 'allowed'
    from counted
  )
  select number, timeout_ms as "timeoutMs", budget_id as "budgetId", is_cut_by_budget as "isCutByBudget" from admitted`;

export type AdmittedInput = {
  step: StepRecord;
  fingerprint: Buffer | null;
  admissionId: string;
  replay?: boolean;
  /** The iterations that the step takes from the session's budget, if there is one. */
  reservedIterations?: number;
  /** The policy by which the step was judged; without it, any. */
  policyRevision?: number | undefined;
};

/** The decisions of the admission about a step. */
export type AdmittedRow = Pick<StepRow, 'number' | 'timeoutMs' | 'budgetId' | 'isCutByBudget'>;

/**
 * Admits a step before anything is sent, in one statement that repeats the conditions it relies on: the session is active in this epoch, with the
 * policy by which the step was judged, and its budget has room for the step, which is reserved.
 *
 * @returns null: one of the conditions does not hold, or the step has a row already
 */
export async function insertAdmittedStep(
  { sql }: Queries,
  { step, fingerprint, admissionId, replay = false, reservedIterations = 0, policyRevision: revision }: AdmittedInput,
): Promise<AdmittedRow | null> {
  const { parentStepId = null, isSilent = false, expressions = null } = step;
  const row = { ...step, fingerprint, admissionId, replay, parentStepId, isSilent, expressions, reservedIterations };
  const values = valuesOf(row, columns);
  const [admitted] = await sql.unsafe<AdmittedRow[]>(text, [...values, revision ?? null], { prepare: true });
  return admitted ?? null;
}
