import type { Queries } from '../queries.ts';
import { directoriesOf } from '../world-files/directories-of.ts';

/**
 * An open change at one of the paths, below one, or of something other than a new directory above one. The empty path is the workspace.
 */
export async function findOpenChange(
  { sql }: Queries,
  { sessionId, paths }: { sessionId: string; paths: readonly string[] },
): Promise<{ proposalId: string; path: string } | null> {
  const above = paths.flatMap(directoriesOf);
  const [found] = await sql<{ proposalId: string; path: string }[]>`
    select c.proposal_id as "proposalId", c.path from proposal_changes c
    where c.session_id = ${sessionId} and c.status = 'open' and (
      c.path = any(${[...paths]}::text[])
      or (c.path = any(${above}::text[]) and not (c.kind = 'directory' and c.change = 'created'))
      or exists (
        select from unnest(${[...paths]}::text[]) as p(path)
        where p.path = '' or (c.path > p.path || '/' and c.path < p.path || '0')
      )
    ) limit 1`;
  return found ?? null;
}
