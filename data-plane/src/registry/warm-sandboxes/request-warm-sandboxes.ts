import type { Network } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type RequestInput = { profile: string; network: Network; template: string; size: number };

/** Requests a warm pool of this size for the template. A request expires unless it is repeated. */
export async function requestWarmSandboxes(
  { sql }: Queries,
  { profile, network, template, size }: RequestInput,
): Promise<void> {
  await sql`
    insert into warm_wishes (profile, network, template, size, seen_at)
    values (${profile}, ${network}, ${template}, ${size}::int, now())
    on conflict (profile, network, template, size) do update set seen_at = excluded.seen_at`;
}
