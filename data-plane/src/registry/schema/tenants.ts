import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core';
import { sessions } from './sessions.ts';

/** The tenants that have stored a file, with the bytes that are counted for each. */
export const tenants = pgTable('tenants', {
  tenant: text('tenant').primaryKey(),
  /** The sum of `session_storage.bytes` and of `snapshots.kept_bytes`. Every statement that changes or deletes one of those changes this, too. */
  keptBytes: bigint('kept_bytes', { mode: 'number' }).notNull().default(0),
});

/** The sessions that have stored a file. Counting locks this row and not the session's, because the history writes that one. */
export const sessionStorage = pgTable(
  'session_storage',
  {
    sessionId: text('session_id')
      .primaryKey()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    tenant: text('tenant').notNull(),
    /** The bytes of all contents of its artifacts, world and snapshots together, each content once, and of its memory; see `recountKeptBytes`. */
    bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  },
  (table) => [index('session_storage_tenant').on(table.tenant)],
);
