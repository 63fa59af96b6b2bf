import { inArray } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** All sessions whose sandbox is starting. */
export async function listCreatingSessions({ orm }: Queries): Promise<Pick<SessionRow, 'id' | 'epoch'>[]> {
  return orm
    .select({ id: sessions.id, epoch: sessions.epoch })
    .from(sessions)
    .where(inArray(sessions.status, ['creating', 'recovering']));
}
