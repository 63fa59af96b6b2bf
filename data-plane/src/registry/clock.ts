import { type Placeholder, type SQL, sql } from 'drizzle-orm';

/** The database's clock, which all deadlines use because replicas' clocks differ. Cut to a column's precision: rounding could move it into the future. */
export const now: SQL = sql`date_trunc('milliseconds', now())`;

/** The time this many seconds from now; a negative number is in the past. */
export const fromNow = (seconds: number | Placeholder): SQL => sql`now() + ${seconds} * interval '1 second'`;
