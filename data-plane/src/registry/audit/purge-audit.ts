import type { Queries } from '../queries.ts';

const portion = 10_000;

/**
 * Deletes the entries that are older, in portions, at most so many. Only the role that owns the tables may.
 * @returns how many there were
 */
export async function purgeAudit(
  { sql }: Queries,
  { olderThanSeconds, portionsMax = Number.POSITIVE_INFINITY }: { olderThanSeconds: number; portionsMax?: number },
): Promise<number> {
  for (let sum = 0, portions = 1; ; portions++) {
    const { count } = await sql`
      delete from audit_entries where id in (
        select id from audit_entries where time < now() - ${olderThanSeconds}::float8 * interval '1 second' limit ${portion}
      )`;
    sum += count;
    if (count < portion || portions >= portionsMax) return sum;
  }
}
