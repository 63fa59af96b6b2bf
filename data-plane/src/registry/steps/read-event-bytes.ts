import { cancelWith } from '../cancel-with.ts';
import type { Queries } from '../queries.ts';

type ReadEventBytesInput = { stepId: string; from: number; length: number; signal: AbortSignal };

/**
 * A part of a step's frames; null if the step is gone. Postgres reads only that part, because the column is stored without compression
 * (a value that was stored before that is decompressed up to the part's end).
 */
export async function readEventBytes(
  { sql }: Queries,
  { stepId, from, length, signal }: ReadEventBytesInput,
): Promise<Buffer | null> {
  const part = sql<{ bytes: Buffer | null }[]>`
    select substring(events from ${from + 1}::int for ${length}::int) as bytes from steps where id = ${stepId}`;
  const [row] = await cancelWith(signal, part);
  return row?.bytes ?? null;
}
