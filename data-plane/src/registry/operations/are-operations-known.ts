import type { Queries } from '../queries.ts';

export async function areOperationsKnown({ sql }: Queries, { ids }: { ids: readonly string[] }): Promise<boolean> {
  const [known] = await sql<{ count: number }[]>`
    select count(*)::int as count from operations where id = any(${ids as string[]}::text[])`;
  return known?.count === ids.length;
}
