import type { Queries } from '../queries.ts';
import { warmSandboxes } from '../schema/warm-sandboxes.ts';

/** All sandboxes that are starting, ready or claimed. `uid` is null for those that are starting. */
export async function listWarmSandboxes({ orm }: Queries): Promise<{ name: string; uid: string | null }[]> {
  return orm.select({ name: warmSandboxes.name, uid: warmSandboxes.uid }).from(warmSandboxes);
}
