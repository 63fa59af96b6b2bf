import { eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { type SessionRow, sessions } from '../schema.ts';

/** All sessions whose sandbox is starting. */
export async function listCreatingSessions({
  orm,
}: Pick<Database, 'orm'>): Promise<Pick<SessionRow, 'id' | 'epoch'>[]> {
  return orm.select({ id: sessions.id, epoch: sessions.epoch }).from(sessions).where(eq(sessions.status, 'creating'));
}
