import { eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { warmSandboxes } from '../schema.ts';

/** Forgets one that was destroyed, whosever it was. */
export async function removeWarmSandbox({ orm }: Pick<Database, 'orm'>, { name }: { name: string }): Promise<void> {
  await orm.delete(warmSandboxes).where(eq(warmSandboxes.name, name));
}
