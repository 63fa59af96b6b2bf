import type { Queries } from '../queries.ts';

const portion = 10_000;

/**
 * Deletes the entries that are older, in portions. Only the role that owns the tables may.
 * @returns how many there were
 */
export async function purgeAudit(
  { sql }: Queries,
  { olderThanSeconds }: { olderThanSeconds: number },
): Promise<number> {
  for (let sum = 0; ; ) {
    const { count } = await sql`
      delete from audit_entries where id in (
        select id from audit_entries where time < now() - ${olderThanSeconds}::float8 * interval '1 second' limit ${portion}
      )`;
    sum += count;
    if (count < portion) return sum;
  }
}
