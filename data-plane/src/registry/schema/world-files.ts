import { bigint, boolean, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { contents } from './contents.ts';
import { sessions } from './sessions.ts';

/** The approved files of a session. A new sandbox of the session starts with them. */
export const worldFiles = pgTable(
  'world_files',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Ordered by bytes (collation C), so that everything below a directory is one range. */
    path: text('path').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    sha256: bytea('sha256')
      .notNull()
      .references(() => contents.sha256),
    /** Whether its owner may execute it. */
    executable: boolean('executable').notNull().default(false),
    /** The permissions in octal digits. Null for a link, and if they are not known. */
    mode: text('mode'),
    /** The target of a link, which is also its content. Null for a file. */
    target: text('target'),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.path] }), index('world_files_by_content').on(table.sha256)],
);

/** The directories of a session's world, also those of its files. */
export const worldDirectories = pgTable(
  'world_directories',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    path: text('path').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.path] })],
);
