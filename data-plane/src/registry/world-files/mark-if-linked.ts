import type { Queries } from '../queries.ts';
import type { WorldClaim } from './claim-world.ts';

/**
 * The claim, with the mark that the world is to be compared if it has a link at one of the paths. An agent follows links, and only it knows
 * where they lead: the change that it made may be at another path.
 */
export async function markIfLinked(
  { sql }: Queries,
  { claim, paths }: { claim: WorldClaim; paths: readonly string[] },
): Promise<WorldClaim> {
  if (claim.isUnsettled || paths.length === 0) return claim;
  const links = await sql`
    select from world_files
    where session_id = ${claim.sessionId} and path = any(${[...paths]}::text[]) and target is not null limit 1`;
  return links.count > 0 ? { ...claim, isUnsettled: true } : claim;
}
