import type { Actor, Cause, CodeLanguage, JobProgram, Outcome, StepStatus } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** A step as it is written: its intent while `finishedAt` is null, its end afterwards. */
export type StepRecord = {
  id: string;
  sessionId: string;
  /** Null for a job. */
  contextId: string | null;
  epoch: number;
  actor: Actor;
  language: CodeLanguage;
  code: string;
  /** Null for what a context runs; a job has a row, and this in it, before it is sent. */
  job: JobProgram | null;
  replicaId: string;
  timeoutMs: number;
  queuedAt: Date;
  status: StepStatus;
  contextEpoch: number | null;
  executionCount: number | null;
  outcome: Outcome | null;
  cause: Cause | null;
  truncated: boolean;
  startedAt: Date | null;
  finishedAt: Date | null;
  durationMs: number | null;
  events: Buffer | null;
  /** Whether the registry may have a row of it already. */
  isKnown: boolean;
};

/**
 * Writes intents and ends, any mix of them, in one statement: a step that has no row gets one with the next number of its
 * session, an unfinished one gets its end. One row per id at most.
 *
 * @returns the numbers of the rows that were written. Absent: the step had ended already, or its session is gone.
 */
export async function recordSteps(db: Queries, rows: readonly StepRecord[]): Promise<Map<string, number>> {
  const [row] = rows;
  if (!row) return new Map();
  if (rows.length > 1) return await recordBatch(db, rows);
  const number = await (row.isKnown ? endOne(db, row) : insertOne(db, row));
  if (number !== null) return new Map([[row.id, number]]);
  return row.isKnown ? await recordBatch(db, rows) : new Map();
}

/** Null where there is no unfinished row, or nothing to end yet. */
async function endOne({ sql }: Queries, row: StepRecord): Promise<number | null> {
  if (row.finishedAt === null) return null;
  const [ended] = await sql<{ number: number }[]>`
    with ended as (
      update steps set
        status = ${row.status}, context_epoch = ${row.contextEpoch}::int, execution_count = ${row.executionCount}::int,
        outcome = ${jsonText(row.outcome)}::text::jsonb, cause = ${jsonText(row.cause)}::text::jsonb,
        truncated = ${row.truncated}::boolean, started_at = ${row.startedAt}::timestamptz,
        finished_at = ${row.finishedAt}::timestamptz, duration_ms = ${row.durationMs}::float8, events = ${row.events}::bytea,
        replica_id = null
      where id = ${row.id} and status in ('queued', 'running')
      returning session_id, number
    ), active as (
      update sessions set last_activity_at = now() from ended where sessions.id = ended.session_id
    )
    select number from ended`;
  return ended?.number ?? null;
}

/** What a lone step costs decides how quick a step can be. */
async function insertOne({ sql }: Queries, row: StepRecord): Promise<number | null> {
  const isOpen = row.finishedAt === null;
  const [inserted] = await sql<{ number: number }[]>`
    with counted as (
      update sessions set step_count = step_count + 1, last_activity_at = now()
      where id = ${row.sessionId} returning step_count
    )
    insert into steps (
      id, session_id, number, context_id, epoch, context_epoch, actor, language, code, status, outcome, cause, truncated, events,
      execution_count, replica_id, timeout_ms, queued_at, started_at, finished_at, duration_ms)
    select
      ${row.id}, ${row.sessionId}, step_count, ${row.contextId}, ${row.epoch}::int, ${row.contextEpoch}::int, ${row.actor},
      ${row.language}, ${row.code}, ${row.status}, ${jsonText(row.outcome)}::text::jsonb, ${jsonText(row.cause)}::text::jsonb,
      ${row.truncated}::boolean, ${row.events}::bytea, ${row.executionCount}::int, ${isOpen ? row.replicaId : null},
      ${row.timeoutMs}::int, ${row.queuedAt}::timestamptz, ${row.startedAt}::timestamptz, ${row.finishedAt}::timestamptz,
      ${row.durationMs}::float8
    from counted
    returning number`;
  return inserted?.number ?? null;
}

const jsonText = (value: object | null): string | null => value && JSON.stringify(value);

/** Sessions are locked in one order, so that the batches of two replicas cannot wait for each other. */
async function recordBatch({ sql }: Queries, rows: readonly StepRecord[]): Promise<Map<string, number>> {
  const input = JSON.stringify(rows.map(toInput));
  // Named beside the recordset, so that the rows are found by index whatever the statistics say.
  const ids = rows.map((row) => row.id);
  const written = await sql<{ id: string; number: number }[]>`
    with input as materialized (
      select * from jsonb_to_recordset(${input}::text::jsonb) as r(
        ord int, id text, session_id text, context_id text, epoch int, actor text, language text, code text, replica_id text,
        timeout_ms int, queued_at timestamptz, status text, context_epoch int, execution_count int, outcome jsonb, cause jsonb,
        truncated boolean, started_at timestamptz, finished_at timestamptz, duration_ms float8, events text)
    ), known as materialized (
      select id from steps where id = any(${ids}::text[])
    ), ended as (
      update steps s set
        status = i.status, context_epoch = i.context_epoch, execution_count = i.execution_count, outcome = i.outcome,
        cause = i.cause, truncated = i.truncated, started_at = i.started_at, finished_at = i.finished_at,
        duration_ms = i.duration_ms, events = decode(i.events, 'base64'), replica_id = null
      from input i
      where s.id = i.id and s.id = any(${ids}::text[])
        and i.finished_at is not null and s.status in ('queued', 'running')
      returning s.id, s.number
    ), fresh as (
      select i.*, row_number() over (partition by i.session_id order by i.ord) as nth
      from input i where not exists (select from known k where k.id = i.id)
    ), counted as (
      select i.session_id, count(f.id)::int as steps
      from input i left join fresh f on f.id = i.id group by i.session_id
    ), locked as materialized (
      select id from sessions where id in (select session_id from counted) order by id for update
    ), bumped as (
      update sessions set step_count = step_count + c.steps, last_activity_at = now()
      from counted c join locked l on l.id = c.session_id where sessions.id = c.session_id
      returning sessions.id, step_count - c.steps as before
    ), inserted as (
      insert into steps (
        id, session_id, number, context_id, epoch, context_epoch, actor, language, code, status, outcome, cause, truncated,
        events, execution_count, replica_id, timeout_ms, queued_at, started_at, finished_at, duration_ms)
      select
        f.id, f.session_id, b.before + f.nth, f.context_id, f.epoch, f.context_epoch, f.actor, f.language, f.code, f.status,
        f.outcome, f.cause, f.truncated, decode(f.events, 'base64'), f.execution_count,
        case when f.finished_at is null then f.replica_id end,
        f.timeout_ms, f.queued_at, f.started_at, f.finished_at, f.duration_ms
      from fresh f join bumped b on b.id = f.session_id
      on conflict (id) do nothing
      returning id, number
    )
    select id, number from ended union all select id, number from inserted`;
  return new Map(written.map((row) => [row.id, row.number]));
}

function toInput(row: StepRecord, ord: number) {
  return {
    ord,
    id: row.id,
    session_id: row.sessionId,
    context_id: row.contextId,
    epoch: row.epoch,
    actor: row.actor,
    language: row.language,
    code: row.code,
    replica_id: row.replicaId,
    timeout_ms: row.timeoutMs,
    queued_at: row.queuedAt,
    status: row.status,
    context_epoch: row.contextEpoch,
    execution_count: row.executionCount,
    outcome: row.outcome,
    cause: row.cause,
    truncated: row.truncated,
    started_at: row.startedAt,
    finished_at: row.finishedAt,
    duration_ms: row.durationMs,
    events: row.events?.toString('base64'),
  };
}
