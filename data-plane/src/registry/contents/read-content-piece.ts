import type { Queries } from '../queries.ts';

type ReadContentPieceInput = { contentId: string; number: number; start: number; length: number };

/** A part of one piece, shorter if the piece ends before; null if there is no such piece. */
export async function readContentPiece(
  { sql }: Queries,
  { contentId, number, start, length }: ReadContentPieceInput,
): Promise<Buffer | null> {
  const [row] = await sql<{ bytes: Buffer }[]>`
    select substring(bytes from ${start + 1}::int for ${length}::int) as bytes from content_pieces
    where content_id = ${contentId} and number = ${number}`;
  return row?.bytes ?? null;
}
