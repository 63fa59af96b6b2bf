import { eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { replicas } from '../schema.ts';

export async function removeReplica({ orm }: Pick<Database, 'orm'>, { id }: { id: string }): Promise<void> {
  await orm.delete(replicas).where(eq(replicas.id, id));
}
