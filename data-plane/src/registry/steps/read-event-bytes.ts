import { cancelWith } from '../cancel-with.ts';
import type { Queries } from '../queries.ts';
import { findPackedPart, isPacked, packedHeadBytesMax, unpackPart } from './packed-events.ts';

type ReadEventBytesInput = { stepId: string; from: number; length: number; signal: AbortSignal };

/**
 * A part of a step's frames; null if the step is gone. Postgres reads only that part, because the column is stored without compression
 * (a value that was stored before that is decompressed up to the part's end).
 */
export async function readEventBytes(
  { sql }: Queries,
  { stepId, from, length, signal }: ReadEventBytesInput,
): Promise<Buffer | null> {
  const part = sql<{ bytes: Buffer | null; head: Buffer | null }[]>`
    select case when is_packed then substring(events for ${packedHeadBytesMax}) end as head,
      case when not is_packed then substring(events from ${from + 1}::int for ${length}::int) end as bytes
    from steps, lateral (select ${sql.unsafe(isPacked)} as is_packed) as form where id = ${stepId}`;
  const [row] = await cancelWith(signal, part);
  if (!row?.head) return row?.bytes ?? null;
  const packed = findPackedPart(row.head, { from, length });
  const pieces = sql<{ bytes: Buffer | null }[]>`
    select substring(events from ${packed.from + 1}::int for ${packed.end - packed.from}::int) as bytes
    from steps where id = ${stepId}`;
  const [found] = await cancelWith(signal, pieces);
  return found?.bytes ? await unpackPart(found.bytes, packed, length) : null;
}
