import { getTableColumns } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** A table's columns for a statement that is written out, each named as in the table's row type. Pure. */
export const columnsOf = (table: PgTable): string =>
  Object.entries(getTableColumns(table))
    .map(([name, column]) => `${column.name} as "${name}"`)
    .join(', ');
