import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/** The tenants that have stored a file, with the bytes that are counted for each. */
export const tenants = pgTable('tenants', {
  tenant: text('tenant').primaryKey(),
  /** The sum of `sessions.kept_bytes`. Every statement that changes or deletes one of those changes this, too. */
  keptBytes: bigint('kept_bytes', { mode: 'number' }).notNull().default(0),
});
