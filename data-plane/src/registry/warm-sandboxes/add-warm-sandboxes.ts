import type { Network } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type AddInput = {
  profile: string;
  network: Network;
  template: string;
  /** The size of the warm pool. */
  size: number;
  /** Older sandboxes do not count, so they are replaced while they can still be claimed. */
  ageSecondsMax: number;
  /** New names, as many as the caller can launch now. */
  names: string[];
};

/**
 * Adds rows for the missing sandboxes of a warm pool, `starting`.
 * @returns their names; only this caller launches them
 */
export async function addWarmSandboxes({ transaction }: Queries, input: AddInput): Promise<string[]> {
  const { profile, network, template, size, ageSecondsMax, names } = input;
  return await transaction(async ({ sql }) => {
    const [, added] = await Promise.all([
      // Serialises the callers of one warm pool until the commit: two that count at once would add the same sandboxes twice.
      sql`select pg_advisory_xact_lock(${poolLocks}, hashtext(${JSON.stringify([profile, network, template])}))`.execute(),
      sql<{ name: string }[]>`
        insert into warm_sandboxes (name, profile, network, template)
        select name, ${profile}, ${network}, ${template} from unnest(${names}::text[]) with ordinality as missing (name, number)
        where number <= ${size}::int - (
          select count(*) from warm_sandboxes
          where profile = ${profile} and network = ${network} and template = ${template} and session_id is null
            and created_at > now() - ${ageSecondsMax}::float8 * interval '1 second')
        returning name`.execute(),
    ]);
    return added.map(({ name }) => name);
  });
}

/** The first half of the lock's key; the second is the warm pool. Quotas have 1. */
const poolLocks = 2;
