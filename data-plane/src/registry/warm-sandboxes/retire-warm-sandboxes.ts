import type { Queries } from '../queries.ts';

type RetireInput = {
  /** A request that was not repeated for this long has expired. */
  requestSeconds: number;
  /** The maximum age of a sandbox. */
  ageSecondsMax: number;
  /** How long a sandbox may take to start. By then its replica has given up, or is gone. */
  startSecondsMax: number;
};

/**
 * Deletes the rows of sandboxes that must not be claimed: those of a template that no replica requests, the oldest beyond the largest
 * requested size, those that are too old, and those that never became ready. A concurrent claim either wins or no longer finds the row.
 * @returns their names; the caller destroys them
 */
export async function retireWarmSandboxes(
  { sql }: Queries,
  { requestSeconds, ageSecondsMax, startSecondsMax }: RetireInput,
): Promise<string[]> {
  const retired = await sql<{ name: string }[]>`
    with expired as (
      delete from warm_wishes where seen_at <= now() - ${requestSeconds}::float8 * interval '1 second'
    ), requested as (
      select profile, network, template, max(size) as size from warm_wishes
      where seen_at > now() - ${requestSeconds}::float8 * interval '1 second' group by profile, network, template
    ), ready as (
      select name, coalesce(size, 0) as size, created_at, row_number() over (
        partition by profile, network, template order by created_at desc, name) as place
      from warm_sandboxes left join requested using (profile, network, template)
      where session_id is null and ready_at is not null
    ), retired as (
      select name from ready
      where place > size or created_at <= now() - ${ageSecondsMax}::float8 * interval '1 second'
      union all
      select name from warm_sandboxes
      where ready_at is null and created_at <= now() - ${startSecondsMax}::float8 * interval '1 second'
    )
    delete from warm_sandboxes using retired
    where warm_sandboxes.name = retired.name and session_id is null
    returning warm_sandboxes.name`;
  return retired.map(({ name }) => name);
}
