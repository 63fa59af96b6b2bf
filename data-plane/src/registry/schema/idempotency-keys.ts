import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';

/** The first request under each `Idempotency-Key`, except for steps: those have their own `fingerprint`. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    tenant: text('tenant').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the creation's label and the parsed body. */
    fingerprint: bytea('fingerprint').notNull(),
    /** The replica that works on the first request; null once it has answered or given up. If it is gone, a repeat continues its work. */
    replicaId: text('replica_id'),
    /** The id of the resource that the first request creates, so that a repeat after a crash does not create another. */
    resourceId: text('resource_id').notNull(),
    status: integer('status'),
    /** JWE of the answer's body; null before the answer, and if it has no body. */
    response: text('response'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.key] }), index('idempotency_keys_by_age').on(table.createdAt)],
);
