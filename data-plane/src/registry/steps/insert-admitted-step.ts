import type { Queries } from '../queries.ts';
import type { StepRecord } from './record-steps.ts';
import { nameOf, parameterOf, startColumns, valuesOf } from './step-columns.ts';

const columns = [...startColumns, 'job', 'replicaId', 'fingerprint', 'admissionId', 'replay'] as const;

const text = `
  with admitted as (
    insert into steps (${columns.map(nameOf)}, number, status)
    select ${columns.map((column) => parameterOf(columns, column))}, s.step_count + 1, 'queued'
    from (
      select id, tenant, step_count from sessions
      where id = ${parameterOf(columns, 'sessionId')} and status = 'active' and epoch = ${parameterOf(columns, 'epoch')} for update
    ) s
    on conflict (id) do nothing
    returning session_id, number
  ), counted as (
    update sessions set
      step_count = a.number, last_activity_at = now(),
      history_bytes = history_bytes + octet_length(${parameterOf(columns, 'code')})
    from admitted a where sessions.id = a.session_id
    returning a.session_id, a.number, tenant
  ), audited as (
    insert into audit_entries (session_id, tenant, turn, step_id, actor, actor_name, key_id, operation, arguments, decision)
    select session_id, tenant, number, ${parameterOf(columns, 'id')}, ${parameterOf(columns, 'actor')}, ${parameterOf(columns, 'actorName')},
      ${parameterOf(columns, 'keyId')}, case when ${parameterOf(columns, 'job')} is null then 'step.run' else 'job.run' end,
      jsonb_build_object('contextId', ${parameterOf(columns, 'contextId')}, 'language', ${parameterOf(columns, 'language')}), 'allowed'
    from counted
  )
  select number from admitted`;

type AdmittedInput = { step: StepRecord; fingerprint: Buffer | null; admissionId: string; replay?: boolean };

/**
 * Admits a step before anything is sent, in one statement that repeats the condition it relies on: the session is active in this epoch.
 *
 * @returns the step's number, or null: the session is not active in this epoch, or the step has a row already
 */
export async function insertAdmittedStep(
  { sql }: Queries,
  { step, fingerprint, admissionId, replay = false }: AdmittedInput,
): Promise<number | null> {
  const values = valuesOf({ ...step, fingerprint, admissionId, replay }, columns);
  const [row] = await sql.unsafe<{ number: number }[]>(text, values, { prepare: true });
  return row?.number ?? null;
}
