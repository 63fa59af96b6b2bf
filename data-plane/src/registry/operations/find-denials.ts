import type { Queries } from '../queries.ts';
import type { OperationRow } from '../schema/operations.ts';
import { deniedBy } from './denied-by.ts';

/** The rules by which the policy denied some of these calls, by the ids of the calls. Null: the registry does not have all of the calls. */
export async function findDenials(
  { sql }: Queries,
  { ids }: { ids: readonly string[] },
): Promise<ReadonlyMap<string, string> | null> {
  // The answers of other calls may be long.
  const known = await sql<Pick<OperationRow, 'id' | 'status' | 'answer'>[]>`
    select id, status, case when status = 'denied' then answer end as answer
    from operations where id = any(${ids as string[]}::text[])`;
  if (known.length < ids.length) return null;
  return new Map(
    known.flatMap((call) => {
      const rule = deniedBy(call);
      return rule === null ? [] : [[call.id, rule] as const];
    }),
  );
}
