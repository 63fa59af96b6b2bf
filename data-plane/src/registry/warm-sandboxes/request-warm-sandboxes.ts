import type { Network } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type RequestInput = { profile: string; network: Network; template: string; size: number };

/** Says that this many sandboxes of the template are wanted, now; a wish that is not repeated is forgotten. */
export async function requestWarmSandboxes(
  { sql }: Queries,
  { profile, network, template, size }: RequestInput,
): Promise<void> {
  await sql`
    insert into warm_wishes (profile, network, template, size, seen_at)
    values (${profile}, ${network}, ${template}, ${size}::int, now())
    on conflict (profile, network, template, size) do update set seen_at = excluded.seen_at`;
}
