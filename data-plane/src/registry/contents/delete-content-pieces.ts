import type { Queries } from '../queries.ts';

/** 128 MiB, which takes seconds on a busy machine, well within the time limit of a statement. */
const batchSize = 250;

/** Deletes all pieces of these contents. */
export async function deleteContentPieces(
  { sql }: Queries,
  { contentIds }: { contentIds: readonly string[] },
): Promise<void> {
  for (let deleted = batchSize; deleted === batchSize; ) {
    const { count } = await sql`
      delete from content_pieces where (content_id, number) in (
        select content_id, number from content_pieces where content_id = any(${[...contentIds]}::text[]) limit ${batchSize}
      )`;
    deleted = count;
  }
}
