import type { Queries } from '../queries.ts';
import { packEvents, piecesOf } from './packed-events.ts';
import { recordSteps, type StepRecord } from './record-steps.ts';

/** Sent by one statement, as the parts that they are. Larger events could be of so many small parts that the driver copies too much of them. */
const oneStatementBytesMax = 4 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/**
 * As `recordSteps`, for ends with large events: they are packed, and the largest are sent in pieces, and the row gets them in the same transaction as its end.
 */
export async function recordLargeSteps(db: Queries, given: readonly StepRecord[]): Promise<Map<string, number>> {
  const rows = await Promise.all(given.map(packed));
  if (rows.every((row) => bytesOf(row) <= oneStatementBytesMax)) return await recordSteps(db, rows);
  return await db.transaction(async (tx) => {
    for (const row of rows) await sendPieces(tx, row);
    const numbers = await recordSteps(
      tx,
      rows.map(({ longEvents: _, ...row }) => (row.events ? { ...row, events: Buffer.alloc(0) } : row)),
    );
    for (const { id } of rows) if (numbers.has(id)) await joinPieces(tx, id);
    await tx.sql`delete from step_event_pieces where step_id = any(${rows.map(({ id }) => id)}::text[])`;
    return numbers;
  });
}

async function packed(row: StepRecord): Promise<StepRecord> {
  const longEvents = await packEvents(row.longEvents ?? (row.events ? [row.events] : []));
  return longEvents ? { ...row, events: Buffer.alloc(0), longEvents } : row;
}

const bytesOf = ({ events, longEvents }: StepRecord): number =>
  longEvents?.reduce((sum, { length }) => sum + length, 0) ?? events?.length ?? 0;

async function sendPieces({ sql }: Queries, { id, events, longEvents }: StepRecord): Promise<void> {
  let number = 0;
  for (const piece of piecesOf(longEvents ?? (events ? [events] : []), pieceBytes)) {
    await sql`insert into step_event_pieces (step_id, number, bytes) values (${id}, ${number}, ${piece})`;
    number += 1;
  }
}

async function joinPieces({ sql }: Queries, id: string): Promise<void> {
  await sql`
    with joined as (
      update steps set events = (
        select string_agg(bytes, ''::bytea order by number) from step_event_pieces where step_id = ${id})
      where id = ${id} and exists (select from step_event_pieces where step_id = ${id})
      returning session_id, octet_length(events) as bytes
    )
    update sessions set history_bytes = history_bytes + bytes from joined where sessions.id = session_id`;
}
