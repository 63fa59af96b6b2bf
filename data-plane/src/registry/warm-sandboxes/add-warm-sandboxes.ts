import type { Network } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type AddInput = {
  profile: string;
  network: Network;
  template: string;
  /** How many there are to be. */
  size: number;
  /** One that is older is as good as gone, and is replaced while it still can be claimed. */
  ageSecondsMax: number;
  /** As many as the caller can launch now; each is used once. */
  names: string[];
};

/** Rows for sandboxes that are missing, `starting`: the caller launches those whose names are returned, and nobody else does. */
export async function addWarmSandboxes({ transaction }: Queries, input: AddInput): Promise<string[]> {
  const { profile, network, template, size, ageSecondsMax, names } = input;
  return await transaction(async ({ sql }) => {
    const [, added] = await Promise.all([
      // One at a time per pool, until the commit: two that count at once would both find the same ones missing.
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

/** The first half of the lock's name; the second is the pool. Quotas have 1. */
const poolLocks = 2;
