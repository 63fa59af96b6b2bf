import type { Language, SnapshotManifest } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { contents } from './contents.ts';
import { sessions } from './sessions.ts';

/**
 * Saved states of contexts. The latest one of a context is what a recovery starts from: the state of the context right after the execution
 * that `epoch`, `context_epoch` and `execution_count` name. One without a content says that the context was empty then.
 */
export const snapshots = pgTable(
  'snapshots',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    contextId: text('context_id').notNull(),
    language: text('language').$type<Language>().notNull(),
    origin: text('origin').$type<SnapshotOrigin>().notNull(),
    sha256: bytea('sha256').references(() => contents.sha256),
    size: bigint('size', { mode: 'number' }).notNull(),
    manifest: jsonb('manifest').$type<SnapshotManifest>(),
    epoch: integer('epoch').notNull(),
    contextEpoch: integer('context_epoch').notNull(),
    executionCount: integer('execution_count').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('snapshots_by_context').on(
      table.sessionId,
      table.contextId,
      table.epoch.desc(),
      table.contextEpoch.desc(),
      table.executionCount.desc(),
    ),
    index('snapshots_by_content').on(table.sha256).where(sql`${table.sha256} is not null`),
  ],
);

/** `base`: the context began at this point, empty or with the state of another snapshot. */
export type SnapshotOrigin = 'request' | 'auto' | 'base';

export type SnapshotRow = typeof snapshots.$inferSelect;
