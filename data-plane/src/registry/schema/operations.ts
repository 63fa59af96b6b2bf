import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { sessions } from './sessions.ts';

/**
 * The calls of steps that the host answers, and the answers. `stepId` has no foreign key because the step's row may
 * be written later. An operation whose step has ended waits no longer, whatever its status.
 */
export const operations = pgTable(
  'operations',
  {
    id: text('id').primaryKey(),
    /** Rises in the order in which the calls of a session became visible: it is given under a lock that is held until then. */
    place: bigint('place', { mode: 'number' }).generatedByDefaultAsIdentity(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    stepId: text('step_id').notNull(),
    /** The number of the call within the step. */
    call: integer('call').notNull(),
    name: text('name').notNull(),
    /** A JSON array, as text: jsonb accepts neither NUL nor lone surrogates. */
    arguments: text('arguments').notNull(),
    /** The arguments as the audit log keeps them: bounded, and without secrets. Null if an earlier version has inserted the call. */
    auditedArguments: jsonb('audited_arguments').$type<Record<string, unknown>>(),
    status: text('status')
      .$type<'pending' | 'succeeded' | 'failed' | 'timed_out' | 'denied'>()
      .notNull()
      .default('pending'),
    /** JSON: what the code gets. Null before the answer, if none came in time, and once it is delivered if there is no room to keep it for a replay. */
    answer: text('answer'),
    /** SHA-256 of the answer, so that a repeat is recognised. */
    fingerprint: bytea('fingerprint'),
    createdAt: time('created_at').notNull().defaultNow(),
    deadline: time('deadline').notNull(),
    answeredAt: time('answered_at'),
    /** The API key of the host. */
    answeredBy: text('answered_by'),
    deliveredAt: time('delivered_at'),
  },
  (table) => [
    index('operations_by_place').on(table.sessionId, table.place),
    index('operations_by_step').on(table.stepId),
    index('operations_pending').on(table.sessionId).where(sql`${table.status} = 'pending'`),
  ],
);

export type OperationRow = typeof operations.$inferSelect;
