import type { Queries } from '../queries.ts';
import type { StoreName } from '../schema/contents.ts';

export async function findContent(
  { sql }: Queries,
  { sha256 }: { sha256: string },
): Promise<{ id: string; size: number; store: StoreName } | null> {
  const [found] = await sql<{ id: string; size: number; store: StoreName }[]>`
    select id, size::float8 as size, store from contents where sha256 = decode(${sha256}, 'hex')`;
  return found ?? null;
}
