import { and, eq, isNull } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { warmSandboxes } from '../schema/warm-sandboxes.ts';
import type { ReadySandbox } from './claim-warm-sandbox.ts';

/** From now on it may be claimed. False where it was given up meanwhile. */
export async function markWarmSandboxReady({ orm }: Queries, { name, ...met }: ReadySandbox): Promise<boolean> {
  const ready = await orm
    .update(warmSandboxes)
    .set({ ...met, readyAt: now })
    .where(and(eq(warmSandboxes.name, name), isNull(warmSandboxes.readyAt)))
    .returning({ name: warmSandboxes.name });
  return ready.length > 0;
}
