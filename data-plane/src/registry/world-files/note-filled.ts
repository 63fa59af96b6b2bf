import { policyPresets } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** The paths of a session's world that its sandbox may have. */
export async function readPatternsOf(
  { sql }: Queries,
  { sessionId }: { sessionId: string },
): Promise<readonly string[]> {
  const [row] = await sql<{ patterns: string[] | null }[]>`
    select policy -> 'world' -> 'readPatterns' as patterns from sessions where id = ${sessionId}`;
  return row?.patterns ?? policyPresets.unrestricted.world.readPatterns;
}

/** Notes the read patterns with which the working copy of a session is filled. */
export async function noteFilled(
  { sql }: Pick<Queries, 'sql'>,
  { sessionId, patterns }: { sessionId: string; patterns: readonly string[] },
): Promise<void> {
  const noted = patterns.includes('**') ? null : JSON.stringify(patterns);
  await sql`
    insert into worlds (session_id, filled_patterns)
    select id, ${noted}::text::jsonb from sessions
    where id = ${sessionId} and (${noted}::text is not null or exists (select from worlds where session_id = ${sessionId}))
    on conflict (session_id) do update set filled_patterns = excluded.filled_patterns
    where worlds.filled_patterns is distinct from excluded.filled_patterns`;
}
