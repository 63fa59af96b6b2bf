import { sql } from 'drizzle-orm';
import { bigint, boolean, doublePrecision, integer, numeric, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/**
 * Limits for sessions; `sessions.budget_of` says which ones share a budget. A limit that is null does not hold. A step reserves before it is sent, and the trigger `settle_step` settles in the statement that records its end.
 *
 * Locks are taken in this order: budgets, sessions. Another trigger moves the sessions between `active` and `budget_exceeded` when
 * `is_used_up` changes.
 */
export const budgets = pgTable('budgets', {
  id: text('id').primaryKey(),
  tenant: text('tenant').notNull(),
  /** The session for which it was made, and which it may outlive. */
  sessionId: text('session_id').notNull(),
  iterations: integer('iterations'),
  iterationsUsed: integer('iterations_used').notNull().default(0),
  iterationsReserved: integer('iterations_reserved').notNull().default(0),
  timeMs: doublePrecision('time_ms'),
  timeUsedMs: doublePrecision('time_used_ms').notNull().default(0),
  timeReservedMs: doublePrecision('time_reserved_ms').notNull().default(0),
  tokens: bigint('tokens', { mode: 'number' }),
  tokensUsed: bigint('tokens_used', { mode: 'number' }).notNull().default(0),
  /** Decimals, which are exact. */
  cost: numeric('cost'),
  costUsed: numeric('cost_used').notNull().default('0'),
  /** Whether nothing is left of one of the limits. Less than a millisecond is nothing: timeouts are whole milliseconds. */
  isUsedUp: boolean('is_used_up')
    .notNull()
    .generatedAlwaysAs(sql`coalesce(iterations <= iterations_used, false) or coalesce(time_ms - time_used_ms < 1, false)
      or coalesce(tokens <= tokens_used, false) or coalesce(cost <= cost_used, false)`),
  createdAt: time('created_at').notNull().defaultNow(),
});
