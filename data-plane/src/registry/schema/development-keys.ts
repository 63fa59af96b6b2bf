import { pgTable, text } from 'drizzle-orm/pg-core';

/** Keys that nobody configured: made once in development, for all replicas. Production has none here. */
export const developmentKeys = pgTable('development_keys', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
