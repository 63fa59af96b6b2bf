import { lte } from 'drizzle-orm';
import { fromNow, now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { ticks } from '../schema/replicas.ts';

/** Starts the duty's next period if it is due. True for exactly one of the replicas that try; that one does the duty. */
export async function startDuty(
  { orm }: Queries,
  { name, everySeconds }: { name: string; everySeconds: number },
): Promise<boolean> {
  const started = await orm
    .insert(ticks)
    .values({ name, lastAt: now })
    .onConflictDoUpdate({
      target: ticks.name,
      set: { lastAt: now },
      setWhere: lte(ticks.lastAt, fromNow(-everySeconds)),
    })
    .returning({ name: ticks.name });
  return started.length > 0;
}
