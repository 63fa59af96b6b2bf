import type { Page } from '@holdfast/specs/public';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { decodeTimeCursor, encodeCursor } from './cursor.ts';

/** The condition for rows after `cursor`, newest first. Rows of the same millisecond are ordered by id. */
export function olderThan(cursor: string | undefined, columns: { createdAt: PgColumn; id: PgColumn }): SQL | undefined {
  if (cursor === undefined) return undefined;
  const { at, id } = decodeTimeCursor(cursor);
  return sql`(${columns.createdAt}, ${columns.id}) < (${at.toISOString()}::timestamptz, ${id})`;
}

/** A page of rows. The caller reads one row more than `limit`, which shows whether another page follows. */
export function timePage<Row extends { createdAt: Date; id: string }>(rows: Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last ? encodeCursor([last.createdAt.getTime(), last.id]) : null;
  return { items, nextCursor };
}
