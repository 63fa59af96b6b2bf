import type { Queries } from '../queries.ts';
import type { StepRecord } from './record-steps.ts';
import { arrayOf, endColumns, nameOf, parameterOf, startColumns, typeOf, valuesOf, withParts } from './step-columns.ts';

const columns = [...startColumns, ...endColumns] as const;

const insertOneText = `
  with counted as (
    update sessions set
      step_count = step_count + 1, last_activity_at = now(), history_bytes = history_bytes
        + octet_length(${parameterOf(columns, 'code')}) + coalesce(octet_length(${parameterOf(columns, 'events')}), 0)
    where id = ${parameterOf(columns, 'sessionId')} returning step_count
  )
  insert into steps (${columns.map(nameOf)}, number, replica_id)
  select ${columns.map((column) => parameterOf(columns, column))}, step_count, $${columns.length + 1} from counted
  returning number`;

/** Inserts a step that has no row; null if its session is gone. A step that is alone costs this statement, so it decides how fast a step can be. */
export async function insertStep({ sql }: Queries, row: StepRecord): Promise<number | null> {
  const values = [...valuesOf(withParts(row), columns), followerOf(row)];
  const [inserted] = await sql.unsafe<{ number: number }[]>(insertOneText, values, { prepare: true });
  return inserted?.number ?? null;
}

/** Each travels as an array. The sessions have an array of their own, and the events of all steps are one value. */
const arrayColumns = columns.filter((column) => column !== 'sessionId' && column !== 'events');

/**
 * The sessions come in the order of their ids, so that the batches of two replicas lock them in the same order. A number of a step is that
 * of its session before the batch and its place among the new steps of the session. Postgres reads arrays faster than JSON, and
 * nothing has to be looked up but the sessions.
 */
const insertManyText = `
  with counted as (
    update sessions set
      step_count = step_count + c.steps, last_activity_at = now(), history_bytes = history_bytes + c.bytes
    from unnest($1::text[], $2::int[], $3::int8[]) with ordinality as c(id, steps, bytes, place) where sessions.id = c.id
    returning sessions.id as session_id, c.place::int, step_count - c.steps as before
  )
  insert into steps (session_id, number, events, replica_id, ${arrayColumns.map(nameOf)})
  select
    c.session_id, c.before + r.nth, substring($4::bytea from r.event_at for r.event_bytes), r.replica_id,
    ${arrayColumns.map((column) => `r.${nameOf(column)}`)}
  from unnest(
    $5::int[], $6::int[], $7::int[], $8::int[], $9::text[],
    ${arrayColumns.map((column, i) => `$${i + 10}::${typeOf(column)}[]`)}
  ) as r(place, nth, event_at, event_bytes, replica_id, ${arrayColumns.map(nameOf)}) join counted c on c.place = r.place
  returning id, number`;

/**
 * Inserts steps that have no row, in one statement. New steps of a session are numbered in the order of `rows`.
 *
 * @returns the numbers by step id. A step is missing if its session is gone.
 * @throws the error of the database, without having inserted anything, also if a step has a row
 */
export async function insertSteps({ sql }: Queries, rows: readonly StepRecord[]): Promise<Map<string, number>> {
  const events = rows.map(({ events, longEvents }) => (longEvents ? Buffer.concat(longEvents) : events));
  const { sessions, places } = placeRows(rows, events);
  const values = [
    arrayOf(sessions.map(({ id }) => id)),
    arrayOf(sessions.map(({ steps }) => steps)),
    arrayOf(sessions.map(({ bytes }) => bytes)),
    Buffer.concat(events.map((bytes) => bytes ?? noBytes)),
    arrayOf(places.map(({ place }) => place)),
    arrayOf(places.map(({ nth }) => nth)),
    arrayOf(places.map(({ eventAt }) => eventAt)),
    arrayOf(events.map((bytes) => bytes?.length ?? null)),
    arrayOf(rows.map(followerOf)),
    ...arrayColumns.map((column) => arrayOf(rows.map((row) => row[column]))),
  ];
  const inserted = await sql.unsafe<{ id: string; number: number }[]>(insertManyText, values, { prepare: true });
  return new Map(inserted.map(({ id, number }) => [id, number]));
}

const noBytes = Buffer.alloc(0);

/** Counts the new steps of each session. All places count from 1, as in SQL. */
function placeRows(rows: readonly StepRecord[], events: readonly (Buffer | null)[]) {
  const ids = [...new Set(rows.map(({ sessionId }) => sessionId))].sort();
  const sessions = ids.map((id, i) => ({ id, place: i + 1, steps: 0, bytes: 0 }));
  const byId = new Map(sessions.map((session) => [session.id, session]));
  let eventAt = 1;
  const places = rows.map(({ sessionId, code }, i) => {
    const session = byId.get(sessionId) as (typeof sessions)[number];
    const length = events[i]?.length ?? 0;
    session.steps += 1;
    session.bytes += Buffer.byteLength(code) + length;
    eventAt += length;
    return { place: session.place, nth: session.steps, eventAt: eventAt - length };
  });
  return { sessions, places };
}

/** A step that has ended is followed by no replica. */
const followerOf = ({ finishedAt, replicaId }: StepRecord): string | null => (finishedAt === null ? replicaId : null);
