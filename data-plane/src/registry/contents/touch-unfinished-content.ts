import type { Queries } from '../queries.ts';

/** Records that the object is still being written. False if it was marked for deletion meanwhile. */
export async function touchUnfinishedContent({ sql }: Queries, { id }: { id: string }): Promise<boolean> {
  const { count } = await sql`
    update contents set touched_at = now() where id = ${id} and sha256 is null and isfinite(touched_at)`;
  return count > 0;
}
