import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';

/** First requests by `Idempotency-Key`, but for steps, which carry their own. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    tenant: text('tenant').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the creation's label and the parsed body. */
    fingerprint: bytea('fingerprint').notNull(),
    /** The replica that answers the first request, null once it has or has given up; where it is gone, a repeat takes over. */
    replicaId: text('replica_id'),
    /** What the first request made, so that a crash before the answer is not a second creation. */
    resourceId: text('resource_id').notNull(),
    status: integer('status'),
    /** JWE of the answer's body, null until there is one. */
    response: text('response'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.key] }), index('idempotency_keys_by_age').on(table.createdAt)],
);
