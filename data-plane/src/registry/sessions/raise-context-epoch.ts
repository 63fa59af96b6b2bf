import type { Queries } from '../queries.ts';

type RaiseInput = { id: string; epoch: number; contextEpoch: number };

/**
 * Records that a client may see this contextEpoch, so that the session's next sandbox counts on from it.
 * @returns the highest recorded one; null if the session is gone or in another epoch
 */
export async function raiseContextEpoch(
  { sql }: Queries,
  { id, epoch, contextEpoch }: RaiseInput,
): Promise<number | null> {
  const [raised] = await sql<{ max: number }[]>`
    update sessions set context_epoch_max = greatest(context_epoch_max, ${contextEpoch}::int)
    where id = ${id} and epoch = ${epoch}::int
    returning context_epoch_max as max`;
  return raised?.max ?? null;
}
