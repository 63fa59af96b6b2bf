import type { Queries } from '../queries.ts';

/** The code has the answer, so it is kept no longer. That of a denied call has the rule, which the events of its step show. */
export async function markOperationDelivered({ sql }: Queries, { id }: { id: string }): Promise<void> {
  await sql`
    update operations set delivered_at = now(), answer = case when status = 'denied' then answer end
    where id = ${id} and status <> 'pending' and delivered_at is null`;
}
