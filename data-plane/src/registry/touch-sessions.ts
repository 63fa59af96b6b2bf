import { inArray } from 'drizzle-orm';
import { now } from './clock.ts';
import type { Database } from './connect.ts';
import { sessions } from './schema.ts';

/** Records that something happens in these sessions, so that they are not idle. */
export async function touchSessions({ orm }: Pick<Database, 'orm'>, { ids }: { ids: string[] }): Promise<void> {
  if (ids.length === 0) return;
  // In one order, so that two replicas that touch the same sessions cannot wait for each other.
  const inOrder = orm.select({ id: sessions.id }).from(sessions).where(inArray(sessions.id, ids)).orderBy(sessions.id);
  const locked = orm.$with('locked').as(inOrder.for('no key update'));
  await orm
    .with(locked)
    .update(sessions)
    .set({ lastActivityAt: now })
    .where(inArray(sessions.id, orm.select({ id: locked.id }).from(locked)));
}
