import type { Queries } from '../queries.ts';

/** 128 MiB: seconds on a busy machine, within what a statement may take. */
const atOnce = 250;

/** Removes all pieces of these contents. */
export async function deleteContentPieces(
  { sql }: Queries,
  { contentIds }: { contentIds: readonly string[] },
): Promise<void> {
  for (let gone = atOnce; gone === atOnce; ) {
    const { count } = await sql`
      delete from content_pieces where (content_id, number) in (
        select content_id, number from content_pieces where content_id = any(${[...contentIds]}::text[]) limit ${atOnce}
      )`;
    gone = count;
  }
}
