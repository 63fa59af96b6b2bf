import { type SQL, sql } from 'drizzle-orm';

/** The database's clock: the only one that deadlines go by, since replicas' clocks differ. Cut to a column's precision, which would round it into the future. */
export const now: SQL = sql`date_trunc('milliseconds', now())`;

/** A time that many seconds from now; negative ones lie in the past. */
export const fromNow = (seconds: number): SQL => sql`now() + ${seconds} * interval '1 second'`;
