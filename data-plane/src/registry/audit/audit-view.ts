/** A duration in ms, as an expression of SQL, without the noise of sums and differences of binary fractions. */
export const wholeMicroseconds = (ms: string) => `round((${ms})::numeric, 3)::float8`;

/**
 * The audit log of the session `$1` of the tenant `$2`. The row of a step that needed no admission is its entry as well: it names the actor and the
 * key, and is written in the statement that makes the step. Any other step has an entry of its own, whose duration is that of the step.
 * So is the row of a call whose step ended before the host had answered.
 * A call can be recorded before its step has a row, so its turn is read from the step.
 */
export const auditView = `
  select 'a' || lpad(a.id::text, 19, '0') collate "C" as id, time, coalesce(a.turn, s.number) as turn, a.step_id as "stepId", a.actor,
    a.actor_name as "actorName", a.key_id as "keyId", operation, arguments, decision, rule,
    ${wholeMicroseconds("coalesce(a.duration_ms, case when operation in ('step.run', 'job.run') then s.duration_ms end)")} as "durationMs",
    tokens::float8 as tokens, trim_scale(cost)::text as cost, a.count
  from audit_entries a left join steps s on s.id = a.step_id
  where a.session_id = $1 and tenant = $2
  union all
  select s.id, queued_at, number, s.id, actor, actor_name, key_id, 'step.run',
    jsonb_build_object('contextId', context_id, 'language', s.language), 'allowed', null, ${wholeMicroseconds('duration_ms')}, null, null, 1
  from steps s join sessions on sessions.id = s.session_id
  where s.session_id = $1 and tenant = $2 and admission_id is null and not is_forgotten
  union all
  select o.id, s.finished_at, s.number, s.id, s.actor, s.actor_name, s.key_id, o.name,
    jsonb_build_object('operationId', o.id, 'status', 'ended') || coalesce(o.audited_arguments, '{}'), 'allowed', null, null, null, null, 1
  from operations o join steps s on s.id = o.step_id join sessions on sessions.id = o.session_id
  where o.session_id = $1 and tenant = $2 and o.status = 'pending' and s.finished_at is not null`;
