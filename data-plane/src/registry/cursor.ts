import { type ListOrder, type Page, Problem } from '@holdfast/specs/public';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** Encodes a position in a list as an opaque text for clients. */
export const encodeCursor = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

/**
 * The position in a list that is ordered by time, then id.
 * @throws Problem `invalid-request` if `encodeCursor` did not make the cursor.
 */
export function decodeTimeCursor(cursor: string): { at: Date; id: string } {
  const [ms, id, ...more] = decode(cursor);
  const at = new Date(typeof ms === 'number' ? ms : Number.NaN);
  if (Number.isNaN(at.getTime()) || typeof id !== 'string' || id.includes('\0') || more.length > 0)
    throw invalidCursor();
  return { at, id };
}

/**
 * The position in a list that is ordered by a number.
 * @throws Problem `invalid-request` if `encodeCursor` did not make the cursor.
 */
export function decodeNumberCursor(cursor: string): number {
  const [number, ...more] = decode(cursor);
  if (typeof number !== 'number' || !isInt4(number) || more.length > 0) throw invalidCursor();
  return number;
}

/**
 * The position in a list that is ordered by a name.
 * @throws Problem `invalid-request` if `encodeCursor` did not make the cursor.
 */
export function decodeTextCursor(cursor: string): string {
  const [text, ...more] = decode(cursor);
  if (typeof text !== 'string' || text.includes('\0') || more.length > 0) throw invalidCursor();
  return text;
}

type TimeColumns = { createdAt: PgColumn; id: PgColumn };

/** The condition for rows after `cursor` in this order. Rows of the same millisecond are ordered by id. */
export function beyond(cursor: string | undefined, columns: TimeColumns, order: ListOrder): SQL | undefined {
  if (cursor === undefined) return undefined;
  const { at, id } = decodeTimeCursor(cursor);
  const compare = order === 'asc' ? sql`>` : sql`<`;
  return sql`(${columns.createdAt}, ${columns.id}) ${compare} (${at.toISOString()}::timestamptz, ${id})`;
}

/** The same, newest first. */
export const olderThan = (cursor: string | undefined, columns: TimeColumns): SQL | undefined =>
  beyond(cursor, columns, 'desc');

/** A page of rows. The caller reads one row more than `limit`, which shows whether another page follows. */
export function timePage<Row extends { createdAt: Date; id: string }>(rows: Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last ? encodeCursor([last.createdAt.getTime(), last.id]) : null;
  return { items, nextCursor };
}

function decode(cursor: string): unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(place)) return place;
  } catch {
    // Not JSON: the same answer as for any other invalid cursor.
  }
  throw invalidCursor();
}

const isInt4 = (number: number) => Number.isInteger(number) && number >= 0 && number < 2 ** 31;

const invalidCursor = () =>
  new Problem('invalid-request', {
    detail: '1 fault',
    errors: [{ pointer: 'query/cursor', detail: 'must be a nextCursor of an earlier page' }],
  });
