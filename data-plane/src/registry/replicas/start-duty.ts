import { lte } from 'drizzle-orm';
import { fromNow, now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { ticks } from '../schema/replicas.ts';

/** Whether this replica is to do the duty of that name now; of all replicas one gets it per period. */
export async function startDuty(
  { orm }: Queries,
  { name, everySeconds }: { name: string; everySeconds: number },
): Promise<boolean> {
  const taken = await orm
    .insert(ticks)
    .values({ name, lastAt: now })
    .onConflictDoUpdate({
      target: ticks.name,
      set: { lastAt: now },
      setWhere: lte(ticks.lastAt, fromNow(-everySeconds)),
    })
    .returning({ name: ticks.name });
  return taken.length > 0;
}
