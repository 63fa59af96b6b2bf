import type { Queries } from '../queries.ts';

/** Begins the content's hour anew, within which a reference must be written. Null if there is no such content; `size` is in bytes. */
export async function touchContent({ sql }: Queries, { sha256 }: { sha256: string }): Promise<{ size: number } | null> {
  const [touched] = await sql<{ size: number }[]>`
    update contents set touched_at = now() where sha256 = decode(${sha256}, 'hex') returning size::float8 as size`;
  return touched ?? null;
}
