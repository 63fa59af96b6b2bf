import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { warmSandboxes } from '../schema/warm-sandboxes.ts';

/** Deletes the row of a destroyed sandbox, claimed or not. */
export async function removeWarmSandbox({ orm }: Queries, { name }: { name: string }): Promise<void> {
  await orm.delete(warmSandboxes).where(eq(warmSandboxes.name, name));
}
