import { type SQL, sql } from 'drizzle-orm';
import { sessionRoutes } from '../schema/session-routes.ts';

/** Whether no replica has heard for so long from the agent of the sandbox that a session has in this epoch. */
export const unheardFor = ({ id, epoch, seconds }: { id: string; epoch: number; seconds: number }): SQL => sql`exists (
  select from ${sessionRoutes} where ${sessionRoutes.sessionId} = ${id} and ${sessionRoutes.epoch} = ${epoch}
    and ${sessionRoutes.lastSeenAt} <= now() - ${seconds}::float8 * interval '1 second'
)`;
