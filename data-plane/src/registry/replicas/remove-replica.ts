import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { replicas } from '../schema/replicas.ts';

export async function removeReplica({ orm }: Queries, { id }: { id: string }): Promise<void> {
  await orm.delete(replicas).where(eq(replicas.id, id));
}
