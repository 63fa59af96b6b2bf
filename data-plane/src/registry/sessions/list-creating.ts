import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** All sessions whose sandbox is still being started. */
export async function listCreating({ orm }: Queries): Promise<Pick<SessionRow, 'id' | 'epoch'>[]> {
  return orm.select({ id: sessions.id, epoch: sessions.epoch }).from(sessions).where(eq(sessions.status, 'creating'));
}
