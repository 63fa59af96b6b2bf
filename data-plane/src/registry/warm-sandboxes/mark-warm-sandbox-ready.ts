import { and, eq, isNull } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { warmSandboxes } from '../schema/warm-sandboxes.ts';
import type { ReadySandbox } from './claim-warm-sandbox.ts';

/** From now on the sandbox may be claimed. False if it was withdrawn meanwhile. */
export async function markWarmSandboxReady({ orm }: Queries, { name, ...ready }: ReadySandbox): Promise<boolean> {
  const marked = await orm
    .update(warmSandboxes)
    .set({ ...ready, readyAt: now })
    .where(and(eq(warmSandboxes.name, name), isNull(warmSandboxes.readyAt)))
    .returning({ name: warmSandboxes.name });
  return marked.length > 0;
}
