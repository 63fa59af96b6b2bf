import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { warmSandboxes } from '../schema/warm-sandboxes.ts';

/** Withdraws a sandbox from its warm pool, so that it cannot be claimed. False if it is claimed or already withdrawn. */
export async function withdrawWarmSandbox({ orm }: Queries, { name }: { name: string }): Promise<boolean> {
  const withdrawn = await orm
    .delete(warmSandboxes)
    .where(and(eq(warmSandboxes.name, name), isNull(warmSandboxes.sessionId)))
    .returning({ name: warmSandboxes.name });
  return withdrawn.length > 0;
}
