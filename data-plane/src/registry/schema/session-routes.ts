import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { sessions } from './sessions.ts';

/** Routes: session → sandbox. A session has at most one row, for the bound sandbox of its epoch. */
export const sessionRoutes = pgTable('session_routes', {
  sessionId: text('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  epoch: integer('epoch').notNull(),
  sandboxName: text('sandbox_name').notNull(),
  sandboxUid: text('sandbox_uid').notNull().unique(),
  node: text('node').notNull(),
  /** `http://address:port` */
  endpoint: text('endpoint').notNull(),
  /** Raw Ed25519 public key, base64url. */
  agentPublicKey: text('agent_public_key').notNull(),
  /** JWE of the token for the session's agent. */
  token: text('token').notNull(),
  tokenExpiresAt: time('token_expires_at').notNull(),
  /** The contextEpoch of the sandbox's first kernels: its agent can report none below. */
  firstContextEpoch: integer('first_context_epoch').notNull().default(1),
  boundAt: time('bound_at').notNull().defaultNow(),
  lastSeenAt: time('last_seen_at').notNull().defaultNow(),
});

export type RouteRow = typeof sessionRoutes.$inferSelect;
