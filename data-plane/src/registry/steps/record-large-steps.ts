import type { Queries } from '../queries.ts';
import { recordSteps, type StepRecord } from './record-steps.ts';

/** The driver needs several times the memory of what it sends at once, and occupies the event loop meanwhile. */
const pieceBytes = 1024 * 1024;

/**
 * As `recordSteps`, for ends with large events: they are sent in pieces, and the row gets them in the same transaction as its end.
 */
export async function recordLargeSteps(db: Queries, rows: readonly StepRecord[]): Promise<Map<string, number>> {
  return await db.transaction(async (tx) => {
    for (const row of rows) await sendPieces(tx, row);
    const numbers = await recordSteps(
      tx,
      rows.map((row) => (row.events ? { ...row, events: Buffer.alloc(0) } : row)),
    );
    for (const { id } of rows) if (numbers.has(id)) await joinPieces(tx, id);
    await tx.sql`delete from step_event_pieces where step_id = any(${rows.map(({ id }) => id)}::text[])`;
    return numbers;
  });
}

async function sendPieces({ sql }: Queries, { id, events }: StepRecord): Promise<void> {
  for (let number = 0; number * pieceBytes < (events?.length ?? 0); number++) {
    const bytes = events?.subarray(number * pieceBytes, (number + 1) * pieceBytes) as Buffer;
    await sql`insert into step_event_pieces (step_id, number, bytes) values (${id}, ${number}, ${bytes})`;
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
