import { getTableColumns } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/**
 * The columns of a table for a `select` or `returning` in SQL, each named as in the table's row type. Pure.
 * @param instead expressions that stand for the columns of these names
 */
export const columnsOf = (table: PgTable, instead: Record<string, string> = {}): string =>
  Object.entries(getTableColumns(table))
    .map(([name, column]) => `${instead[name] ?? asRead(column)} as "${name}"`)
    .join(', ');

/** The driver reads a bigint as text; ours are numbers that a double holds exactly. */
const asRead = ({ name, columnType }: { name: string; columnType: string }) =>
  columnType === 'PgBigInt53' ? `${name}::float8` : name;
