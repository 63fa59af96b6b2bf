import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { sessions } from './sessions.ts';

/** The facts that the code of a session has asserted (`facts.assert`): subject, predicate and, as JSON, object. Each fact is there once. */
export const facts = pgTable(
  'facts',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    subject: text('subject').notNull(),
    predicate: text('predicate').notNull(),
    object: text('object').notNull(),
    /** SHA-256 of the object, which may be too long for an index. */
    digest: bytea('digest').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.subject, table.predicate, table.digest] })],
);
