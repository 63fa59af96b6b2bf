import type { ListedSnapshot, Page } from '@holdfast/specs/public';
import { decodeTextCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';

type ListInput = { tenant: string; limit: number; cursor?: string | undefined };

/**
 * The tenant's snapshots that have a name, by name, without their lists of names and files.
 * @throws Problem 400 if the cursor is not from an earlier page
 */
export async function listNamedSnapshots(
  { sql }: Queries,
  { tenant, limit, cursor }: ListInput,
): Promise<Page<ListedSnapshot>> {
  const after = cursor === undefined ? '' : decodeTextCursor(cursor);
  const rows = await sql<(Omit<ListedSnapshot, 'createdAt'> & { createdAt: Date })[]>`
    select id, name, language, coalesce(manifest ->> 'interpreter', '') as interpreter, size::float8 as size,
      encode(sha256, 'hex') as sha256, kept_bytes::float8 as bytes, created_at as "createdAt"
    from snapshots where tenant = ${tenant} and name > ${after} order by name limit ${limit + 1}`;
  const items = rows.slice(0, limit).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor([last.name]) : null };
}
