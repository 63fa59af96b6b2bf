import type { Expressions } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import type { StepRow } from '../schema/steps.ts';
import { insertStep, insertSteps } from './insert-steps.ts';
import { endColumns, nameOf, parameterOf, startColumns, typeOf, valuesOf } from './step-columns.ts';

/** A step as it is written: its intent while `finishedAt` is null, its end afterwards. A job is inserted before it is recorded here. */
export type StepRecord = Pick<
  StepRow,
  (typeof startColumns)[number] | (typeof endColumns)[number] | 'job' | 'budgetId' | 'isCutByBudget'
> & {
  replicaId: string;
  /** Whether the host may have reported tokens for it. It is not stored. */
  hasHostCalls?: boolean;
  /** Only when a row is admitted. */
  parentStepId?: string | null;
  isSilent?: boolean;
  /** The place of a silent step that has begun. */
  silentCount?: number | null;
  expressions?: Expressions | null;
  /** The events in the place of `events`, if they are too large to be in memory twice: frames, one after the other. */
  longEvents?: readonly Buffer[] | undefined;
  /** Whether the registry may have a row of the step already. */
  mayHaveRow: boolean;
};

const columns = [...startColumns, ...endColumns] as const;

/**
 * Writes intents and ends, in any mixture, in one statement. A step without a row gets one with the next number of its session; an
 * unfinished step gets its end. That a step is lost is a conclusion, which only the replica that follows it may draw. `rows` has at most
 * one record per step.
 *
 * @returns the numbers of the rows that were written, by step id. A step is missing if it had ended already, its session is gone, or
 * it would be lost but another replica follows it.
 */
export async function recordSteps(db: Queries, rows: readonly StepRecord[]): Promise<Map<string, number>> {
  const [row] = rows;
  if (!row) return new Map();
  if (rows.length > 1) return await (areNewAndApart(rows) ? insertSteps(db, rows) : recordBatch(db, rows));
  // Only the batch locks the budget in the order in which all others do.
  if (row.budgetId !== null) return await recordBatch(db, rows);
  const number = await (row.mayHaveRow ? endOne(db, row) : insertStep(db, row));
  if (number !== null) return new Map([[row.id, number]]);
  return row.mayHaveRow ? await recordBatch(db, rows) : new Map();
}

/** Whether none of the steps has a row, and no two are of one session. */
const areNewAndApart = (rows: readonly StepRecord[]): boolean =>
  rows.every(({ mayHaveRow }) => !mayHaveRow) && new Set(rows.map(({ sessionId }) => sessionId)).size === rows.length;

/** Only silent steps have a count of their own, so no other step carries it. */
const silentEndColumns = [...endColumns, 'silentCount'] as const;

const endOneText = (endColumns: readonly (keyof StepRow)[]) => `
  with ended as (
    update steps set ${endColumns.map((column) => `${nameOf(column)} = ${parameterOf(endColumns, column)}`)}, replica_id = null
    where id = $${endColumns.length + 1} and status in ('queued', 'running')
      and (replica_id = $${endColumns.length + 2} or ${parameterOf(endColumns, 'status')} <> 'lost')
    returning session_id, number
  ), active as (
    update sessions set
      last_activity_at = now(), history_bytes = history_bytes + coalesce(octet_length(${parameterOf(endColumns, 'events')}), 0),
      cpu_seconds = cpu_seconds + coalesce(${parameterOf(endColumns, 'cpuSeconds')}, 0),
      memory_bytes_max = greatest(memory_bytes_max, ${parameterOf(endColumns, 'memoryBytesMax')})
    from ended where sessions.id = ended.session_id
  )
  select number from ended`;

const endTexts = { usual: endOneText(endColumns), silent: endOneText(silentEndColumns) };

/** Null: the step has no unfinished row, or the record is an intent. */
async function endOne({ sql }: Queries, row: StepRecord): Promise<number | null> {
  if (row.finishedAt === null) return null;
  const { silentCount = null } = row;
  const [text, values] =
    silentCount === null
      ? [endTexts.usual, valuesOf(row, endColumns)]
      : [endTexts.silent, valuesOf({ ...row, silentCount }, silentEndColumns)];
  const [ended] = await sql.unsafe<{ number: number }[]>(text, [...values, row.id, row.replicaId], { prepare: true });
  return ended?.number ?? null;
}

/** Bytes travel as base64 in the batch's JSON. */
const batchValue = (column: (typeof columns)[number], from: string) =>
  column === 'events' ? `decode(${from}.events, 'base64')` : `${from}.${nameOf(column)}`;

/**
 * Budgets and sessions are locked in the order of their ids, so that the batches of two replicas cannot deadlock. The ids are passed beside the
 * recordset, so that the rows are found by index no matter what the statistics say.
 */
const batchText = `
  with input as materialized (
    select * from jsonb_to_recordset($1::text::jsonb) as r(
      ord int, replica_id text, silent_count int, ${columns.map((column) => `${nameOf(column)} ${column === 'events' ? 'text' : typeOf(column)}`)})
  ), known as materialized (
    select id, budget_id from steps where id = any($2::text[])
  ), budgeted as materialized (
    select id from budgets where id in (select budget_id from known) order by id for update
  ), ended as (
    update steps s set ${endColumns.map((column) => `${nameOf(column)} = ${batchValue(column, 'i')}`)}, silent_count = i.silent_count,
      replica_id = null
    from input i
    where s.id = i.id and s.id = any($2::text[])
      and i.finished_at is not null and s.status in ('queued', 'running')
      and (s.replica_id = i.replica_id or i.status <> 'lost')
      and (select count(*) from budgeted) >= 0
    returning s.id, s.number, s.session_id, octet_length(s.events) as bytes
  ), fresh as (
    select i.*, row_number() over (partition by i.session_id order by i.ord) as nth
    from input i where not exists (select from known k where k.id = i.id)
  ), counted as (
    select i.session_id, count(f.id)::int as steps, coalesce(sum(e.bytes), 0) + coalesce(sum(octet_length(f.code)
      + coalesce(octet_length(decode(f.events, 'base64')), 0)), 0) as bytes,
      coalesce(sum(i.cpu_seconds) filter (where f.id is not null or e.id is not null), 0) as cpu_seconds,
      max(i.memory_bytes_max) filter (where f.id is not null or e.id is not null) as memory_bytes_max
    from input i left join fresh f on f.id = i.id left join ended e on e.id = i.id group by i.session_id
  ), locked as materialized (
    select id from sessions where id in (select session_id from counted) order by id for update
  ), bumped as (
    update sessions set
      step_count = step_count + c.steps, last_activity_at = now(), history_bytes = history_bytes + c.bytes,
      cpu_seconds = sessions.cpu_seconds + c.cpu_seconds,
      memory_bytes_max = greatest(sessions.memory_bytes_max, c.memory_bytes_max)
    from counted c join locked l on l.id = c.session_id where sessions.id = c.session_id
    returning sessions.id, step_count - c.steps as before
  ), inserted as (
    insert into steps (${columns.map(nameOf)}, number, replica_id)
    select
      ${columns.map((column) => batchValue(column, 'f'))}, b.before + f.nth,
      case when f.finished_at is null then f.replica_id end
    from fresh f join bumped b on b.id = f.session_id
    on conflict (id) do nothing
    returning id, number
  )
  select id, number from ended union all select id, number from inserted`;

async function recordBatch({ sql }: Queries, rows: readonly StepRecord[]): Promise<Map<string, number>> {
  const values = [JSON.stringify(rows.map(batchInput)), rows.map(({ id }) => id)];
  const written = await sql.unsafe<{ id: string; number: number }[]>(batchText, values, { prepare: true });
  return new Map(written.map((row) => [row.id, row.number]));
}

const batchInput = (row: StepRecord, ord: number) =>
  Object.fromEntries([
    ['ord', ord],
    ['replica_id', row.replicaId],
    ['silent_count', row.silentCount],
    ...columns.map((column) => [nameOf(column), column === 'events' ? eventsOf(row)?.toString('base64') : row[column]]),
  ]);

const eventsOf = ({ events, longEvents }: StepRecord) => (longEvents ? Buffer.concat(longEvents) : events);
