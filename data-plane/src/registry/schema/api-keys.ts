import type { Actor, Scope } from '@holdfast/specs/public';
import { boolean, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';

export const apiKeys = pgTable('api_keys', {
  id: text('id').primaryKey(),
  tenant: text('tenant').notNull(),
  name: text('name').notNull(),
  scopes: jsonb('scopes').$type<Scope[]>().notNull(),
  /** The actor for whom the key stands; null if requests name it. */
  actor: text('actor').$type<Actor>(),
  actorName: text('actor_name'),
  /** SHA-256 of the key. */
  hash: bytea('hash').notNull(),
  /** The first 8 bytes of `hash` as hex: finds the row, the whole hash is then compared in constant time. */
  hashPrefix: text('hash_prefix').notNull().unique(),
  /** The key comes from the configuration, and is revoked when the configuration has another one. */
  isConfigured: boolean('is_configured').notNull().default(false),
  createdAt: time('created_at').notNull().defaultNow(),
  revokedAt: time('revoked_at'),
});

export type ApiKeyRow = typeof apiKeys.$inferSelect;
