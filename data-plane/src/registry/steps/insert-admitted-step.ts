import type { Queries } from '../queries.ts';
import type { StepRecord } from './record-steps.ts';

/**
 * Admits a step before anything is sent: one statement that repeats what it relies on, an active session in this epoch.
 * @returns the step's number, or null: the session is not active in this epoch, or the step has a row already.
 */
export async function insertAdmittedStep(
  { sql }: Queries,
  { step, fingerprint }: { step: StepRecord; fingerprint: Buffer },
): Promise<number | null> {
  const [row] = await sql<{ number: number }[]>`
    with admitted as (
      insert into steps (
        id, session_id, number, context_id, epoch, actor, language, code, job, status, fingerprint, replica_id, timeout_ms,
        queued_at)
      select
        ${step.id}, s.id, s.step_count + 1, ${step.contextId}, ${step.epoch}::int, ${step.actor}, ${step.language}, ${step.code},
        ${step.job && JSON.stringify(step.job)}::text::jsonb, 'queued', ${fingerprint}, ${step.replicaId}, ${step.timeoutMs}::int, ${step.queuedAt}
      from (
        select id, step_count from sessions
        where id = ${step.sessionId} and status = 'active' and epoch = ${step.epoch} for update
      ) s
      on conflict (id) do nothing
      returning session_id, number
    ), counted as (
      update sessions set step_count = a.number, last_activity_at = now() from admitted a where sessions.id = a.session_id
    )
    select number from admitted`;
  return row?.number ?? null;
}
