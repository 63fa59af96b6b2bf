import type { Page } from '@holdfast/specs/public';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { decodeTimeCursor, encodeCursor } from './cursor.ts';

/** The condition for rows that come after `cursor`, newest first; ids decide between rows of one millisecond. */
export function olderThan(cursor: string | undefined, columns: { createdAt: PgColumn; id: PgColumn }): SQL | undefined {
  if (cursor === undefined) return undefined;
  const { at, id } = decodeTimeCursor(cursor);
  return sql`(${columns.createdAt}, ${columns.id}) < (${at.toISOString()}::timestamptz, ${id})`;
}

/** A page of rows, of which one more than `limit` was read to see whether another page follows. */
export function timePage<Row extends { createdAt: Date; id: string }>(rows: Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last ? encodeCursor([last.createdAt.getTime(), last.id]) : null;
  return { items, nextCursor };
}
