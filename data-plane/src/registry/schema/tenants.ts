import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/** What is counted for each tenant. A tenant gets its row when its first file is stored. */
export const tenants = pgTable('tenants', {
  tenant: text('tenant').primaryKey(),
  /** The sum of `sessions.kept_bytes`. Every statement that changes or deletes one of those changes this, too. */
  keptBytes: bigint('kept_bytes', { mode: 'number' }).notNull().default(0),
});
