import type { Queries } from '../queries.ts';

/** Stores a content of one piece at most, in one statement. If it is stored already, its hour begins anew. `id` is unused so far. */
export async function storeSmallContent(
  { sql }: Queries,
  { id, sha256, bytes }: { id: string; sha256: string; bytes: Buffer },
): Promise<void> {
  await sql`
    with known as (
      update contents set touched_at = now() where sha256 = decode(${sha256}, 'hex') returning id
    ), stored as (
      insert into contents (id, sha256, size, store)
      select ${id}, decode(${sha256}, 'hex'), ${bytes.length}::bigint, 'postgres' where not exists (select from known)
      on conflict (sha256) do nothing
      returning id
    )
    insert into content_pieces (content_id, number, bytes) select id, 0, ${bytes}::bytea from stored`;
}
