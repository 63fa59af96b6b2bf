import type { Queries } from '../queries.ts';

/** The code has the answer, so it is kept no longer. */
export async function markOperationDelivered({ sql }: Queries, { id }: { id: string }): Promise<void> {
  await sql`
    update operations set delivered_at = now(), answer = null
    where id = ${id} and status <> 'pending' and delivered_at is null`;
}
