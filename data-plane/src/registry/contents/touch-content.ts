import type { Queries } from '../queries.ts';

/** Keeps the content for another hour, in which it can be referred to. Null where there is none; a size in bytes otherwise. */
export async function touchContent({ sql }: Queries, { sha256 }: { sha256: string }): Promise<{ size: number } | null> {
  const [touched] = await sql<{ size: number }[]>`
    update contents set touched_at = now() where sha256 = decode(${sha256}, 'hex') returning size::float8 as size`;
  return touched ?? null;
}
