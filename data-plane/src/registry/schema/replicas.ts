import { pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** Data-plane processes. A running step names its replica; one without a heartbeat loses its steps to another. */
export const replicas = pgTable('replicas', {
  id: text('id').primaryKey(),
  /** Where only one replica can run at a time (a pod name, a data directory): a newcomer there succeeds the earlier one. */
  slot: text('slot').notNull().unique(),
  heartbeatAt: time('heartbeat_at').notNull().defaultNow(),
});

export type ReplicaRow = typeof replicas.$inferSelect;

/** One row per periodic duty of which one replica at a time takes a turn. */
export const ticks = pgTable('ticks', {
  name: text('name').primaryKey(),
  lastAt: time('last_at').notNull(),
});
