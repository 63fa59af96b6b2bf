import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea } from './columns.ts';
import { sessions } from './sessions.ts';

/**
 * The answers that the data-plane itself gave to calls of steps, for a replay, which asks no one again. The answers of the host are in `operations`.
 * Purged with the step. `stepId` has no foreign key because the step's row may be written later.
 */
export const keptAnswers = pgTable(
  'kept_answers',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    stepId: text('step_id').notNull(),
    /** The number of the call within the step. */
    call: integer('call').notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the arguments as JSON. */
    digest: bytea('digest').notNull(),
    /** JSON: what the code got. */
    answer: text('answer').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.stepId, table.call] }),
    index('kept_answers_by_session').on(table.sessionId),
  ],
);

export type KeptAnswerRow = typeof keptAnswers.$inferSelect;
