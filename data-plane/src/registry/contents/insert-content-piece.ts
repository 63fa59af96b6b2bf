import type { Queries } from '../queries.ts';

/** Writes one piece. As a text: the driver would copy the bytes twice more, and its COPY takes a failed one for done. */
export async function insertContentPiece(
  { sql }: Queries,
  { contentId, number, bytes }: { contentId: string; number: number; bytes: Buffer },
): Promise<void> {
  await sql`
    insert into content_pieces (content_id, number, bytes)
    values (${contentId}, ${number}, decode(${bytes.toString('hex')}, 'hex'))`;
}
