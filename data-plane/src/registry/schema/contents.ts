import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';

/**
 * Contents, each once, however many files have it. A content without a `sha256` is still being written, or has had no references for
 * an hour and is about to be deleted.
 */
export const contents = pgTable(
  'contents',
  {
    /** The key of the object in its store; never reused. */
    id: text('id').primaryKey(),
    sha256: bytea('sha256').unique(),
    size: bigint('size', { mode: 'number' }).notNull().default(0),
    store: text('store').$type<'postgres' | 's3'>().notNull(),
    /** The last time the content was stored, or its object written to; -infinity while its bytes are being deleted. */
    touchedAt: time('touched_at').notNull().defaultNow(),
  },
  (table) => [index('contents_unnamed').on(table.store, table.touchedAt).where(sql`${table.sha256} is null`)],
);

/** The store that holds an object. */
export type StoreName = (typeof contents.$inferSelect)['store'];

/** The objects of the `postgres` store, in pieces. */
export const contentPieces = pgTable(
  'content_pieces',
  {
    contentId: text('content_id')
      .notNull()
      .references(() => contents.id, { onDelete: 'cascade' }),
    /** Counts from 0. All pieces but the last have the same size. */
    number: integer('number').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.contentId, table.number] })],
);
