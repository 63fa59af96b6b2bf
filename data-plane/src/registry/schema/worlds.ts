import { sql } from 'drizzle-orm';
import { bigint, boolean, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { sessions } from './sessions.ts';

/**
 * The lock of a session's world, and the mark that world and working copy may differ. The mark is set while there is a writer, so a
 * crash at any instant leaves it. A session that never had a file in its world has no row.
 */
export const worlds = pgTable(
  'worlds',
  {
    sessionId: text('session_id')
      .primaryKey()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** The id of the write that holds the lock. Every change of the world repeats it and releases it. */
    writer: text('writer'),
    /** The replica that does the write. If it is gone, another writer may take the lock. */
    replicaId: text('replica_id'),
    claimedAt: time('claimed_at').notNull().defaultNow(),
    /** An earlier write ended without a known result, or could not store everything. */
    isUnsettled: boolean('is_unsettled').notNull().default(false),
    /** The read patterns of the policy with which the working copy was filled; null: it has everything. */
    filledPatterns: jsonb('filled_patterns').$type<string[]>(),
    /** Bytes that the writer is about to store. They count for the tenant while there is a writer whose replica is alive. */
    reservedBytes: bigint('reserved_bytes', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    index('worlds_unsettled').on(table.claimedAt).where(sql`${table.writer} is not null or ${table.isUnsettled}`),
    index('worlds_reserved').on(table.sessionId).where(sql`${table.reservedBytes} > 0`),
  ],
);
