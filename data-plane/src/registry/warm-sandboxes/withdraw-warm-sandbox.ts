import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { warmSandboxes } from '../schema/warm-sandboxes.ts';

/** Takes one out of its pool, so that nobody can claim it. False where a session has, or it is out already. */
export async function withdrawWarmSandbox({ orm }: Queries, { name }: { name: string }): Promise<boolean> {
  const withdrawn = await orm
    .delete(warmSandboxes)
    .where(and(eq(warmSandboxes.name, name), isNull(warmSandboxes.sessionId)))
    .returning({ name: warmSandboxes.name });
  return withdrawn.length > 0;
}
