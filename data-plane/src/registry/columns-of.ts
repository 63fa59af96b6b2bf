import { getTableColumns } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** The columns of a table for a `returning` in SQL, each named as in the table's row type. Pure. */
export const columnsOf = (table: PgTable): string =>
  Object.entries(getTableColumns(table))
    .map(([name, column]) => `${column.name} as "${name}"`)
    .join(', ');
