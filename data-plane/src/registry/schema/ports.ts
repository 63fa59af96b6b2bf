import type { PortAccess } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { sessions } from './sessions.ts';

/** Ports of sandboxes that are open to visitors. The tokens of links are signed and not stored. */
export const ports = pgTable(
  'ports',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    port: integer('port').notNull(),
    access: text('access').$type<PortAccess>().notNull(),
    receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
    sentBytes: bigint('sent_bytes', { mode: 'number' }).notNull().default(0),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
  },
  (table) => [
    index('ports_by_session').on(table.sessionId, table.createdAt.desc(), table.id.desc()),
    // For the purge.
    index('ports_closed').on(sql`least(${table.revokedAt}, ${table.expiresAt})`),
  ],
);

export type PortRow = typeof ports.$inferSelect;
