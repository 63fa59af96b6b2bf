import type { WebhookEvent } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** A webhook of a session. `secret` is a JWE. */
export type StoredWebhook = { id: string; url: string; events: WebhookEvent[]; secret: string };

/**
 * The ends that are to be delivered, one row for each webhook. A row is written in the transaction that records its end, and has all that its delivery needs, because the
 * session may be deleted before.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    webhookId: text('webhook_id').notNull(),
    event: text('event').$type<WebhookEvent>().notNull(),
    /** The id of the step, the process or the session that has ended. */
    subjectId: text('subject_id').notNull(),
    sessionId: text('session_id').notNull(),
    tenant: text('tenant').notNull(),
    url: text('url').notNull(),
    /** JWE. */
    secret: text('secret').notNull(),
    content: jsonb('content').$type<Record<string, unknown>>().notNull(),
    status: text('status').$type<'pending' | 'delivered' | 'failed'>().notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    /** Whether it waits for nothing but a place. False while it waits for its time, and while a replica is at it. */
    isDue: boolean('is_due').notNull().default(true),
    /** Until then a replica is at it. */
    leasedUntil: time('leased_until'),
    nextAttemptAt: time('next_attempt_at').notNull().defaultNow(),
    lastAttemptAt: time('last_attempt_at'),
    /** The status of the latest response; null if there was none. */
    responseStatus: integer('response_status'),
    /** Why the latest attempt has failed. */
    fault: text('fault'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.webhookId, table.event, table.subjectId] }),
    index('webhook_deliveries_due')
      .on(table.tenant, table.webhookId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending' and ${table.isDue}`),
    index('webhook_deliveries_waiting')
      .on(table.nextAttemptAt)
      .where(sql`${table.status} = 'pending' and not ${table.isDue}`),
    // Attempts that are under way are counted each second, however many deliveries wait.
    index('webhook_deliveries_leased').on(table.leasedUntil).where(sql`${table.leasedUntil} is not null`),
    index('webhook_deliveries_by_session').on(table.sessionId, table.createdAt.desc()),
    index('webhook_deliveries_settled').on(table.lastAttemptAt).where(sql`${table.status} <> 'pending'`),
  ],
);

export type WebhookDeliveryRow = typeof webhookDeliveries.$inferSelect;
