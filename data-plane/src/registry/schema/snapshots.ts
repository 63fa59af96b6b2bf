import type { Language, SavedFiles, SnapshotManifest } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { contents } from './contents.ts';
import { sessions } from './sessions.ts';

/**
 * Saved states of contexts. The latest one of a context is what a recovery starts from: the state of the context right after the execution
 * that `epoch`, `context_epoch` and `execution_count` name, and as many silent steps as `silent_count` says. One without a content says that the context was empty then.
 */
export const snapshots = pgTable(
  'snapshots',
  {
    id: text('id').primaryKey(),
    /** Null if the snapshot has a name: it outlives its session, and a recovery does not use it. */
    sessionId: text('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
    /** Only of a snapshot with a name, which is unique for its tenant. */
    tenant: text('tenant'),
    name: text('name'),
    /** The bytes of all contents of a snapshot with a name, each content once. Those of another one count with its session. */
    keptBytes: bigint('kept_bytes', { mode: 'number' }).notNull().default(0),
    contextId: text('context_id').notNull(),
    language: text('language').$type<Language>().notNull(),
    origin: text('origin').$type<SnapshotOrigin>().notNull(),
    sha256: bytea('sha256').references(() => contents.sha256),
    size: bigint('size', { mode: 'number' }).notNull(),
    manifest: jsonb('manifest').$type<SnapshotManifest>(),
    /** Null if no files were saved with the state; otherwise `snapshot_files` has them. */
    files: jsonb('files').$type<SavedFiles>(),
    epoch: integer('epoch').notNull(),
    contextEpoch: integer('context_epoch').notNull(),
    executionCount: integer('execution_count').notNull(),
    silentCount: integer('silent_count').notNull().default(0),
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
    uniqueIndex('snapshots_by_name').on(table.tenant, table.name),
    check(
      'snapshots_have_an_owner',
      sql`(${table.sessionId} is null) = (${table.name} is not null) and (${table.name} is null) = (${table.tenant} is null)`,
    ),
  ],
);

/** The files of a session's world at the time of a snapshot. */
export const snapshotFiles = pgTable(
  'snapshot_files',
  {
    snapshotId: text('snapshot_id')
      .notNull()
      .references(() => snapshots.id, { onDelete: 'cascade' }),
    path: text('path').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    sha256: bytea('sha256')
      .notNull()
      .references(() => contents.sha256),
    executable: boolean('executable').notNull().default(false),
    /** As in the world. */
    mode: text('mode'),
    target: text('target'),
  },
  (table) => [
    primaryKey({ columns: [table.snapshotId, table.path] }),
    index('snapshot_files_by_content').on(table.sha256),
  ],
);

/** The directories of a session's world at the time of a snapshot. */
export const snapshotDirectories = pgTable(
  'snapshot_directories',
  {
    snapshotId: text('snapshot_id')
      .notNull()
      .references(() => snapshots.id, { onDelete: 'cascade' }),
    path: text('path').notNull(),
  },
  (table) => [primaryKey({ columns: [table.snapshotId, table.path] })],
);

/** `named`: it has a name and no session. `base`: the context began at this point, empty or with the state of another snapshot. */
export type SnapshotOrigin = 'request' | 'auto' | 'base' | 'named';

export type SnapshotRow = typeof snapshots.$inferSelect;
export type SessionSnapshotRow = SnapshotRow & { sessionId: string };
