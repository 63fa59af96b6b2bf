import { customType, timestamp } from 'drizzle-orm/pg-core';

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A point in time, in milliseconds as in `Date`. */
export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
