import type { Queries } from '../queries.ts';

/**
 * Until the end of the transaction the session stays as it is: active in the sandbox of this epoch, or paused. So no new sandbox is filled
 * while what it is to have changes. Locked before the world.
 */
export async function lockAtRest(
  { sql }: Queries,
  { sessionId, epoch }: { sessionId: string; epoch: number | undefined },
): Promise<boolean> {
  const locked = await sql`
    select from sessions where id = ${sessionId} and delete_requested_at is null and (
      (${epoch ?? null}::int is not null and status in ('active', 'budget_exceeded') and epoch = ${epoch ?? null}) or
      (${epoch ?? null}::int is null and status = 'paused')
    ) for share`;
  return locked.count > 0;
}
