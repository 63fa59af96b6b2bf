import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';

/**
 * Contents, each once however many files have it. One without a `sha256` is being written, or nothing has referred to it for long and it
 * is about to go.
 */
export const contents = pgTable(
  'contents',
  {
    /** The object's key in its store; never used twice. */
    id: text('id').primaryKey(),
    sha256: bytea('sha256').unique(),
    size: bigint('size', { mode: 'number' }).notNull().default(0),
    store: text('store').$type<'postgres' | 's3'>().notNull(),
    /** When somebody last wanted to refer to it, or wrote to it; -infinity: its bytes are being removed. */
    touchedAt: time('touched_at').notNull().defaultNow(),
  },
  (table) => [index('contents_unnamed').on(table.store, table.touchedAt).where(sql`${table.sha256} is null`)],
);

/** The store that holds an object. */
export type StoreName = (typeof contents.$inferSelect)['store'];

/** The store that needs nothing else: contents in pieces. */
export const contentPieces = pgTable(
  'content_pieces',
  {
    contentId: text('content_id')
      .notNull()
      .references(() => contents.id, { onDelete: 'cascade' }),
    /** From 0 on; all but the last have the same size. */
    number: integer('number').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.contentId, table.number] })],
);
