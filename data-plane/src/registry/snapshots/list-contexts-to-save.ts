import type { Language } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

export type ContextToSave = { sessionId: string; contextId: string; language: Language };

/**
 * Contexts of sessions that recover by themselves, whose latest step ended this many seconds ago and is in no snapshot: the replica that
 * drove the step may be gone.
 */
export async function listContextsToSave(
  { sql }: Queries,
  { languages, seconds, limit }: { languages: readonly string[]; seconds: number; limit: number },
): Promise<ContextToSave[]> {
  return await sql<ContextToSave[]>`
    select s.id as "sessionId", latest.context_id as "contextId", latest.language
    from sessions s
    cross join lateral (
      select * from steps where session_id = s.id and status <> 'rejected' order by number desc limit 1
    ) as latest
    where s.recovery = 'auto' and s.status in ('active', 'budget_exceeded')
      and latest.context_id is not null and latest.language = any(${[...languages]}::text[])
      and latest.finished_at < now() - ${seconds}::float8 * interval '1 second'
      and latest.execution_count > 0 and latest.epoch = s.epoch
      and not exists (
        select from snapshots n where n.session_id = s.id and n.context_id = latest.context_id
          and (n.epoch, n.context_epoch, case when latest.is_silent then n.silent_count else n.execution_count end)
            >= (latest.epoch, latest.context_epoch, case when latest.is_silent then latest.silent_count else latest.execution_count end))
    order by latest.finished_at desc limit ${limit}`;
}
