import type { Language } from '@holdfast/specs/public';
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { sessions } from './sessions.ts';

/** Contexts that clients created. Default contexts have no row: each is as old as its session. */
export const contexts = pgTable(
  'contexts',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    id: text('id').notNull(),
    language: text('language').$type<Language>().notNull(),
    cwd: text('cwd').notNull(),
    /** JWE of the environment and the limits as JSON, for a kernel in another sandbox; null if there are none. */
    settings: text('settings'),
    createdAt: time('created_at').notNull().defaultNow(),
    deletedAt: time('deleted_at'),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.id] })],
);

export type ContextRow = typeof contexts.$inferSelect;
