import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { sessions } from './sessions.ts';

/**
 * `launching` until the bind, `bound` while the session uses it, `fencing` from the end of its use until it is `gone`. A replica leaves
 * a sandbox in a state that it does not know alone.
 */
export const sandboxStates = ['launching', 'bound', 'fencing', 'gone'] as const;
export type SandboxState = (typeof sandboxStates)[number];

/**
 * The sandboxes that sessions have or had, one for each epoch. `session_routes` has the bound one. A session of an earlier version may
 * have no row here; `sessions.sandbox_gone_at` holds for it, too.
 */
export const sandboxes = pgTable(
  'sandboxes',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    epoch: integer('epoch').notNull(),
    /** The name under which it is launched. The bind replaces it by that of the warm sandbox if the session has claimed one. */
    name: text('name').notNull(),
    /** Null until the bind. */
    uid: text('uid'),
    state: text('state').$type<SandboxState>().notNull(),
    /** The replica that launches or removes it; null in a state at rest. If it is gone, another replica goes on. */
    replicaId: text('replica_id'),
    /** By this time it has left `launching` or `fencing`, or another replica goes on. Null in a state at rest. */
    deadlineAt: time('deadline_at'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.epoch] }),
    index('sandboxes_on_the_way').on(table.replicaId).where(sql`${table.state} in ('launching', 'fencing')`),
  ],
);

export type SandboxRow = typeof sandboxes.$inferSelect;
