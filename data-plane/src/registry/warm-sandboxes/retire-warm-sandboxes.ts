import type { Queries } from '../queries.ts';

type RetireInput = {
  /** A wish that was not repeated for this long is nobody's any more. */
  requestSeconds: number;
  /** How old one may get. */
  ageSecondsMax: number;
  /** How long one may be starting: by then its replica has given it up, or is gone. */
  startSecondsMax: number;
};

/**
 * Takes out of the pools what nobody may claim any more: of a template that no replica wants, more than any replica wants (the
 * oldest first), too old, or never ready. A claim at the same time wins or finds it gone.
 * @returns their names; destroying them is the caller's
 */
export async function retireWarmSandboxes(
  { sql }: Queries,
  { requestSeconds, ageSecondsMax, startSecondsMax }: RetireInput,
): Promise<string[]> {
  const retired = await sql<{ name: string }[]>`
    with forgotten as (
      delete from warm_wishes where seen_at <= now() - ${requestSeconds}::float8 * interval '1 second'
    ), wanted as (
      select profile, network, template, max(size) as size from warm_wishes
      where seen_at > now() - ${requestSeconds}::float8 * interval '1 second' group by profile, network, template
    ), ready as (
      select name, coalesce(size, 0) as size, created_at, row_number() over (
        partition by profile, network, template order by created_at desc, name) as place
      from warm_sandboxes left join wanted using (profile, network, template)
      where session_id is null and ready_at is not null
    ), useless as (
      select name from ready
      where place > size or created_at <= now() - ${ageSecondsMax}::float8 * interval '1 second'
      union all
      select name from warm_sandboxes
      where ready_at is null and created_at <= now() - ${startSecondsMax}::float8 * interval '1 second'
    )
    delete from warm_sandboxes using useless
    where warm_sandboxes.name = useless.name and session_id is null
    returning warm_sandboxes.name`;
  return retired.map(({ name }) => name);
}
