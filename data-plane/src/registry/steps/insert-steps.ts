import type { Queries } from '../queries.ts';
import type { StepRecord } from './record-steps.ts';
import { arrayOf, endColumns, nameOf, parameterOf, startColumns, typeOf, valuesOf } from './step-columns.ts';

const columns = [...startColumns, ...endColumns] as const;

const insertOneText = `
  with counted as (
    update sessions set
      step_count = step_count + 1, last_activity_at = now(), history_bytes = history_bytes
        + octet_length(${parameterOf(columns, 'code')}) + coalesce(octet_length(${parameterOf(columns, 'events')}), 0),
      cpu_seconds = cpu_seconds + coalesce(${parameterOf(columns, 'cpuSeconds')}, 0),
      memory_bytes_max = greatest(memory_bytes_max, ${parameterOf(columns, 'memoryBytesMax')})
    where id = ${parameterOf(columns, 'sessionId')} returning step_count
  )
  insert into steps (${columns.map(nameOf)}, number, replica_id)
  select ${columns.map((column) => parameterOf(columns, column))}, step_count, $${columns.length + 1} from counted
  returning number`;

/** Inserts a step that has no row; null if its session is gone. A step that is alone is written by this, so it decides how fast a step can be. */
export async function insertStep({ sql }: Queries, row: StepRecord): Promise<number | null> {
  const values = [...valuesOf(row, columns), followerOf(row)];
  const [inserted] = await sql.unsafe<{ number: number }[]>(insertOneText, values, { prepare: true });
  return inserted?.number ?? null;
}

/** Those that travel as one array each. */
const arrayColumns = columns.filter((column) => column !== 'events');

/**
 * The events of all steps are one value, because bytes in an array would travel as text. Postgres reads arrays faster than JSON, and looks up
 * nothing but the sessions: one after the other by index, in the order of the arrays, because it expects an array to have ten elements.
 */
const insertManyText = `
  with counted as (
    update sessions set
      step_count = step_count + 1, last_activity_at = now(),
      history_bytes = history_bytes + octet_length(r.code) + coalesce(r.event_bytes, 0),
      cpu_seconds = sessions.cpu_seconds + coalesce(r.cpu_seconds, 0),
      memory_bytes_max = greatest(sessions.memory_bytes_max, r.memory_bytes_max)
    from unnest(
      $2::int[], $3::int[], $4::text[], ${arrayColumns.map((column, i) => `$${i + 5}::${typeOf(column)}[]`)}
    ) as r(events_at, event_bytes, follower, ${arrayColumns.map(nameOf)})
    where sessions.id = r.session_id
    returning r.*, step_count
  )
  insert into steps (${arrayColumns.map(nameOf)}, events, number, replica_id)
  select ${arrayColumns.map(nameOf)}, substring($1::bytea from events_at for event_bytes), step_count, follower from counted
  returning id, number`;

/**
 * Inserts steps that have no row, each of another session, in one statement. Most batches are of this kind. The sessions are locked in the
 * order of their ids, so that the batches of two replicas do not deadlock.
 *
 * @returns the numbers by step id. A step is missing if its session is gone.
 * @throws the error of the database if one of the steps has a row; then nothing is inserted
 */
export async function insertSteps({ sql }: Queries, given: readonly StepRecord[]): Promise<Map<string, number>> {
  const rows = given.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const events = rows.map(({ events, longEvents }) => (longEvents ? Buffer.concat(longEvents) : events));
  const values = [
    Buffer.concat(events.filter((bytes) => bytes !== null)),
    arrayOf(placesOf(events)),
    arrayOf(events.map((bytes) => bytes?.length ?? null)),
    arrayOf(rows.map(followerOf)),
    ...arrayColumns.map((column) => arrayOf(rows.map((row) => row[column]))),
  ];
  const inserted = await sql.unsafe<{ id: string; number: number }[]>(insertManyText, values, { prepare: true });
  return new Map(inserted.map(({ id, number }) => [id, number]));
}

/** At which byte of all together each begins. SQL counts from 1. */
function placesOf(parts: readonly (Buffer | null)[]): number[] {
  let next = 1;
  return parts.map((part) => {
    const place = next;
    next += part?.length ?? 0;
    return place;
  });
}

/** A step that has ended is followed by no replica. */
const followerOf = ({ finishedAt, replicaId }: StepRecord): string | null => (finishedAt === null ? replicaId : null);
