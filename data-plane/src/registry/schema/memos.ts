import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { sessions } from './sessions.ts';

/** The values that the code of a session has noted under a name (`memo.put`), as JSON. */
export const memos = pgTable(
  'memos',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    value: text('value').notNull(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.key] })],
);
