import { pgTable, text } from 'drizzle-orm/pg-core';

/** Keys that development creates once for all replicas when none are configured. Production has none here. */
export const developmentKeys = pgTable('development_keys', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
