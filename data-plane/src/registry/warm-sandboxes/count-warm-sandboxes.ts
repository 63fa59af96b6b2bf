import type { WarmSandboxes } from '../../observability/metrics.ts';
import type { Queries } from '../queries.ts';

/** The number of sandboxes in each warm pool, over all templates. */
export async function countWarmSandboxes({ sql }: Queries): Promise<WarmSandboxes[]> {
  return await sql<WarmSandboxes[]>`
    select profile, network, count(*)::int as count, case
      when session_id is not null then 'claimed' when ready_at is not null then 'ready' else 'starting' end as state
    from warm_sandboxes group by profile, network, state`;
}
