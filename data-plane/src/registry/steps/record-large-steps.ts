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

async function sendPieces({ sql }: Queries, { id, events, longEvents }: StepRecord): Promise<void> {
  let number = 0;
  for (const piece of piecesOf(longEvents ?? (events ? [events] : []))) {
    await sql`insert into step_event_pieces (step_id, number, bytes) values (${id}, ${number}, ${piece})`;
    number += 1;
  }
}

/** The same bytes in pieces of one length, each made when it is needed. */
function* piecesOf(frames: readonly Buffer[]): Generator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const frame of frames) {
    for (let at = 0; at < frame.length; ) {
      const part = frame.subarray(at, at + pieceBytes - bytes);
      parts.push(part);
      bytes += part.length;
      at += part.length;
      if (bytes < pieceBytes) continue;
      yield Buffer.concat(parts);
      parts = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(parts);
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
