import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { warmSandboxes } from '../schema/warm-sandboxes.ts';

/** The name of the warm sandbox with this uid, or null. */
export async function findWarmSandbox({ orm }: Queries, { uid }: { uid: string }): Promise<string | null> {
  const [found] = await orm.select({ name: warmSandboxes.name }).from(warmSandboxes).where(eq(warmSandboxes.uid, uid));
  return found?.name ?? null;
}
