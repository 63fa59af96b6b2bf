import type { Network } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/**
 * Sandboxes that are kept ready, and those that a session has claimed and is not bound to yet: with the bind the row goes. A claim
 * is for ever, so nothing ever sets `session_id` back, which is also why it refers to no row that could be deleted.
 */
export const warmSandboxes = pgTable(
  'warm_sandboxes',
  {
    name: text('name').primaryKey(),
    profile: text('profile').notNull(),
    network: text('network').$type<Network>().notNull(),
    /** What it was made from; see `WarmPool`. */
    template: text('template').notNull(),
    /** Null while it is starting, as all that is known from then on. */
    readyAt: time('ready_at'),
    uid: text('uid').unique(),
    node: text('node'),
    endpoint: text('endpoint'),
    agentPublicKey: text('agent_public_key'),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The session that has claimed it. */
    sessionId: text('session_id').unique(),
    claimedAt: time('claimed_at'),
  },
  (table) => [
    index('warm_sandboxes_unclaimed')
      .on(table.profile, table.network, table.template, table.createdAt)
      .where(sql`${table.sessionId} is null`),
  ],
);

/** What replicas want to be kept ready. During a rolling update they differ, and each says what it wants for as long as it lives. */
export const warmSandboxRequests = pgTable(
  'warm_wishes',
  {
    profile: text('profile').notNull(),
    network: text('network').$type<Network>().notNull(),
    template: text('template').notNull(),
    size: integer('size').notNull(),
    seenAt: time('seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.profile, table.network, table.template, table.size] })],
);
