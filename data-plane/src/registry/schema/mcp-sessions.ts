import { boolean, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** A call that its client has cancelled, and when. */
export type CancelledCall = { key: string; at: string };

/** The sessions of MCP clients, for all replicas. A row that was not used for long counts as gone. */
export const mcpSessions = pgTable(
  'mcp_sessions',
  {
    id: text('id').primaryKey(),
    tenant: text('tenant').notNull(),
    /** The API key that opened it, and the only one that may use it. */
    keyId: text('key_id'),
    clientName: text('client_name'),
    /** Whether its client puts questions to a person. */
    elicits: boolean('elicits').notNull().default(false),
    /** The client key of the session that a person shares with the client; null if the client has one of its own. */
    sessionKey: text('session_key'),
    /** The session in which tools work; null before the first of them. It may have ended. */
    sessionId: text('session_id'),
    /** The latest calls that were cancelled on a replica that did not know them. */
    cancelled: jsonb('cancelled').$type<CancelledCall[]>().notNull().default([]),
    lastUsedAt: time('last_used_at').notNull().defaultNow(),
  },
  (table) => [
    index('mcp_sessions_by_tenant').on(table.tenant, table.lastUsedAt.desc()),
    // For the purge.
    index('mcp_sessions_unused').on(table.lastUsedAt),
  ],
);

export type McpSessionRow = typeof mcpSessions.$inferSelect;
