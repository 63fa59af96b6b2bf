import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** Data-plane processes. A running step names its replica; if that has no heartbeat, another replica gets the step. */
export const replicas = pgTable('replicas', {
  id: text('id').primaryKey(),
  /** Something that only one replica can have at a time, such as a pod name or a data directory. A new replica replaces the earlier one. */
  slot: text('slot').notNull().unique(),
  heartbeatAt: time('heartbeat_at').notNull().defaultNow(),
  /** Since when no heartbeat was late. */
  beatingSince: time('beating_since').notNull().defaultNow(),
});

export type ReplicaRow = typeof replicas.$inferSelect;

/** Periodic duties: in each period one of the replicas starts the duty. */
export const ticks = pgTable('ticks', {
  name: text('name').primaryKey(),
  lastAt: time('last_at').notNull(),
});

/** One row, which the first data-plane inserts. Sandboxes carry the id, so that data-planes on another database leave them alone. */
export const databaseIdentity = pgTable(
  'database_identity',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    id: uuid('id').notNull().defaultRandom(),
  },
  (table) => [check('database_identity_is_one_row', sql`${table.isOnly}`)],
);
