import type { Queries } from '../queries.ts';

const portion = 2000;

/** Purges a portion of the ports that were closed so long ago. @returns how many */
export async function purgePorts({ sql }: Queries, { seconds }: { seconds: number }): Promise<number> {
  const { count } = await sql`
    delete from ports where id in (
      select id from ports
      where least(revoked_at, expires_at) < now() - ${seconds}::float8 * interval '1 second' limit ${portion})`;
  return count;
}
