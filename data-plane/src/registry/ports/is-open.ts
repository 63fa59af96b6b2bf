import { type SQL, sql } from 'drizzle-orm';
import { ports } from '../schema/ports.ts';

/** Whether a port is open now, by the database's clock. */
export const isOpen: SQL = sql`${ports.revokedAt} is null and ${ports.expiresAt} > now()`;
