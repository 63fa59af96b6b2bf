import { pgTable, text } from 'drizzle-orm/pg-core';

/** Keys that all replicas share and that outlive a change of the encryption key, each as a JWE under that key. */
export const sealedKeys = pgTable('sealed_keys', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
