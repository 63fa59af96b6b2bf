import type { Queries } from '../queries.ts';

/** Writes one piece, as text: with bytes the driver makes two more copies, and its COPY reports a failed one as done. */
export async function insertContentPiece(
  { sql }: Queries,
  { contentId, number, bytes }: { contentId: string; number: number; bytes: Buffer },
): Promise<void> {
  await sql`
    insert into content_pieces (content_id, number, bytes)
    values (${contentId}, ${number}, decode(${bytes.toString('hex')}, 'hex'))`;
}
