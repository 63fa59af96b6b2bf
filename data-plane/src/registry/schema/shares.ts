import type { ShareAccess } from '@holdfast/specs/public';
import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { sessions } from './sessions.ts';

/** Links that let a person join one session. Their tokens are signed and not stored. */
export const shares = pgTable(
  'shares',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    access: text('access').$type<ShareAccess>().notNull(),
    name: text('name'),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
  },
  (table) => [index('shares_by_session').on(table.sessionId, table.createdAt.desc(), table.id.desc())],
);

export type ShareRow = typeof shares.$inferSelect;
