import type { Queries } from '../queries.ts';
import type { StepRow } from '../schema/steps.ts';
import type { StepRecord } from './record-steps.ts';
import { nameOf, parameterOf, startColumns, valuesOf } from './step-columns.ts';

const columns = [...startColumns, 'job', 'outcome', 'admissionId', 'isSilent', 'expressions'] as const;
const parameter = (column: (typeof columns)[number]) => parameterOf(columns, column);
const rule = `$${columns.length + 1}::text`;

const text = `
  with counted as (
    update sessions set
      step_count = step_count + 1, history_bytes = history_bytes + octet_length(${parameter('code')})
    where id = ${parameter('sessionId')} and epoch = ${parameter('epoch')} and status in ('active', 'budget_exceeded')
    returning step_count, tenant, budget_of
  ), refused as (
    insert into steps (${columns.map(nameOf)}, number, status, finished_at, budget_remaining)
    select ${columns.map(parameter)}, step_count, 'rejected', now(),
      (select budget_remaining(b) from budgets b where b.id = budget_of)
    from counted
  )
  insert into audit_entries (session_id, tenant, turn, step_id, actor, actor_name, key_id, operation, arguments, decision, rule)
  select ${parameter('sessionId')}, tenant, step_count, ${parameter('id')}, ${parameter('actor')}, ${parameter('actorName')},
    ${parameter('keyId')},
    case when ${parameter('job')} is null then 'step.run' else 'job.run' end,
    jsonb_build_object('contextId', ${parameter('contextId')}, 'language', ${parameter('language')}), 'denied', ${rule}
  from counted`;

/** `isSilent` and `expressions` as its request has them, if it has. */
export type RefusedStep = Omit<Pick<StepRow, (typeof columns)[number]>, 'isSilent' | 'expressions'> &
  Pick<StepRecord, 'isSilent' | 'expressions'>;

/**
 * Records a step that was refused by a rule, with its entry in the audit log, as long as its session has its sandbox of this epoch. It has no
 * fingerprint, so its request can be repeated, and does not count as activity: a session idles out although its steps are refused.
 */
export async function insertRefusedStep(
  { sql }: Queries,
  { rule: denied, ...step }: RefusedStep & { rule: string },
): Promise<void> {
  const { isSilent = false, expressions = null } = step;
  await sql.unsafe(text, [...valuesOf({ ...step, isSilent, expressions }, columns), denied], { prepare: true });
}
