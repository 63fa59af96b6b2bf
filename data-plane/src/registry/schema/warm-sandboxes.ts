import type { Network } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/**
 * The warm pools, with the sandboxes that a session has claimed but is not bound to yet: the bind deletes the row. A claim is
 * permanent, so nothing ever clears `session_id`. For the same reason it has no foreign key: it outlives a deleted session.
 */
export const warmSandboxes = pgTable(
  'warm_sandboxes',
  {
    name: text('name').primaryKey(),
    profile: text('profile').notNull(),
    network: text('network').$type<Network>().notNull(),
    /** Identifies the manifest that the sandbox was launched from; see `WarmPool`. */
    template: text('template').notNull(),
    /** Null while the sandbox starts, like `uid`, `node`, `endpoint` and `agentPublicKey`. */
    readyAt: time('ready_at'),
    uid: text('uid').unique(),
    node: text('node'),
    endpoint: text('endpoint'),
    agentPublicKey: text('agent_public_key'),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The session that claimed it, and for which of its epochs. Without a session, the epoch means nothing. */
    sessionId: text('session_id'),
    epoch: integer('epoch').notNull().default(1),
    claimedAt: time('claimed_at'),
  },
  (table) => [
    unique('warm_sandboxes_claim').on(table.sessionId, table.epoch),
    index('warm_sandboxes_unclaimed')
      .on(table.profile, table.network, table.template, table.createdAt)
      .where(sql`${table.sessionId} is null`),
  ],
);

/** The warm pools that replicas request. During a rolling update the requests differ; each replica repeats its own while it lives. */
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
