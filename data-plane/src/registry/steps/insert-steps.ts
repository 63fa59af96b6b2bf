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
export function insertStep({ sql }: Queries, row: StepRecord): Promise<number | null> {
  // To await the driver's own kind of promise takes three more.
  return sql
    .unsafe<{ number: number }[]>(insertOneText, oneValues(row), { prepare: true })
    .then(([inserted]) => inserted?.number ?? null);
}

const oneValues = (row: StepRecord) => [...valuesOf(row, columns), followerOf(row)];

type Source = { from: string; events: string; eventBytes: string };

/** Counts each step of `from`, which is called `r`, in its session, and inserts it with the number that it gets. */
const insertText = ({ from, events, eventBytes }: Source) => `
  with counted as (
    update sessions set
      step_count = step_count + 1, last_activity_at = now(),
      history_bytes = history_bytes + octet_length(r.code) + coalesce(${eventBytes}, 0),
      cpu_seconds = sessions.cpu_seconds + coalesce(r.cpu_seconds, 0),
      memory_bytes_max = greatest(sessions.memory_bytes_max, r.memory_bytes_max)
    from ${from}
    where sessions.id = r.session_id
    returning r.*, step_count
  )
  insert into steps (${columns.map(nameOf)}, number, replica_id)
  select ${columns.map((column) => (column === 'events' ? events : nameOf(column)))}, step_count, follower from counted
  returning id, number`;

/**
 * Up to sixteen rows travel as a parameter for each value: Postgres needs half of the time that it needs with arrays, of which it unpacks one for
 * each column. Each of these numbers of rows has a statement of its own, and rows of nulls, which belong to no session, fill up to the next one: a
 * prepared statement takes 40 KB of Postgres's memory for each row, in each connection.
 */
const fewTexts: ReadonlyMap<number, string> = new Map(
  [2, 4, 8, 12, 16].map((count) => [
    count,
    insertText({
      from: `(values ${Array.from({ length: count }, (_, row) => `(${parametersOf(row)})`)}) as r(${columns.map(nameOf)}, follower)`,
      events: 'events',
      eventBytes: 'octet_length(r.events)',
    }),
  ]),
);

function parametersOf(row: number): string[] {
  const before = row * (columns.length + 1);
  const follower = `$${before + columns.length + 1}::text`;
  return [...columns.map((column) => parameterOf(columns, column, before)), follower];
}

/** Those that travel as one array each. */
const arrayColumns = columns.filter((column) => column !== 'events');

/**
 * The events of all steps are one value, because bytes in an array would travel as text. Postgres reads arrays faster than JSON, and looks up
 * nothing but the sessions: one after the other by index, in the order of the arrays, because it expects an array to have ten elements.
 */
const manyText = insertText({
  from: `unnest(
    $2::int[], $3::int[], $4::text[], ${arrayColumns.map((column, i) => `$${i + 5}::${typeOf(column)}[]`)}
  ) as r(events_at, event_bytes, follower, ${arrayColumns.map(nameOf)})`,
  events: 'substring($1::bytea from events_at for event_bytes)',
  eventBytes: 'r.event_bytes',
});

/**
 * Inserts steps that have no row, each of another session, in one statement. Most batches are of this kind. The sessions are locked in the
 * order of their ids, so that the batches of two replicas do not deadlock.
 *
 * @returns the numbers by step id. A step is missing if its session is gone.
 * @throws the error of the database if one of the steps has a row; then nothing is inserted
 */
export async function insertSteps({ sql }: Queries, given: readonly StepRecord[]): Promise<Map<string, number>> {
  const rows = given.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const { text, values } = fewOf(rows) ?? { text: manyText, values: arraysOf(rows) };
  const inserted = await sql.unsafe<{ id: string; number: number }[]>(text, values, { prepare: true });
  return new Map(inserted.map(({ id, number }) => [id, number]));
}

/** Null: the rows are too many. */
function fewOf(rows: readonly StepRecord[]) {
  const [count, text] = [...fewTexts].find(([count]) => count >= rows.length) ?? [];
  if (count === undefined || text === undefined) return null;
  const values = rows.flatMap(oneValues);
  return { text, values: [...values, ...Array(count * (columns.length + 1) - values.length).fill(null)] };
}

function arraysOf(rows: readonly StepRecord[]): (string | Buffer)[] {
  const events = rows.map(({ events, longEvents }) => (longEvents ? Buffer.concat(longEvents) : events));
  return [
    Buffer.concat(events.filter((bytes) => bytes !== null)),
    arrayOf(placesOf(events)),
    arrayOf(events.map((bytes) => bytes?.length ?? null)),
    arrayOf(rows.map(followerOf)),
    ...arrayColumns.map((column) => arrayOf(rows.map((row) => row[column]))),
  ];
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
