import type {
  EndReason,
  IdleAction,
  Language,
  LastRecovery,
  LossReason,
  Network,
  PolicyRules,
  RecoveryMode,
  SessionStatus,
} from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ChangedBy } from '../audit/changed-by.ts';
import { budgets } from './budgets.ts';
import { time } from './columns.ts';
import type { StoredWebhook } from './webhook-deliveries.ts';

/** The sessions that clients own. `epoch` counts a session's sandboxes. A transition is one UPDATE that repeats the status it relies on. */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    tenant: text('tenant').notNull(),
    status: text('status').$type<SessionStatus>().notNull(),
    language: text('language').$type<Language>().notNull(),
    runtime: text('runtime').notNull(),
    network: text('network').$type<Network>().notNull(),
    profile: text('profile').notNull().default('default'),
    epoch: integer('epoch').notNull().default(1),
    /** The highest contextEpoch that a client may have seen. The kernels of the next sandbox count on from it. */
    contextEpochMax: integer('context_epoch_max').notNull().default(1),
    metadata: jsonb('metadata').$type<Record<string, string>>().notNull(),
    /** The client's own name for the session. */
    clientKey: text('client_key'),
    /** For the audit entry of the latest change; see `registry/audit/changed-by.ts`. */
    changedBy: jsonb('changed_by').$type<ChangedBy>(),
    /** JWE of the environment as JSON, or null if there is none. */
    env: text('env'),
    /** The job that the session was created for; the session ends with it. */
    jobId: text('job_id'),
    timeoutSeconds: integer('timeout_seconds').notNull(),
    idleTimeoutSeconds: integer('idle_timeout_seconds').notNull(),
    /** The highest step number. */
    stepCount: integer('step_count').notNull().default(0),
    /** The highest number of a process. */
    processCount: integer('process_count').notNull().default(0),
    /** Processes without an end. Triggers of their table count them. */
    runningProcesses: integer('running_processes').notNull().default(0),
    /** Steps up to this number were purged because the history has a maximum size. */
    purgedStepNumber: integer('purged_step_number').notNull().default(0),
    /** The bytes of code and events of the steps that are stored. Each statement that writes or deletes steps counts them. */
    historyBytes: bigint('history_bytes', { mode: 'number' }).notNull().default(0),
    /** The sum over all its steps, also those that were purged. */
    cpuSeconds: doublePrecision('cpu_seconds').notNull().default(0),
    memoryBytesMax: bigint('memory_bytes_max', { mode: 'number' }),
    /** Null: none. */
    webhooks: jsonb('webhooks').$type<StoredWebhook[]>(),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
    lastActivityAt: time('last_activity_at').notNull().defaultNow(),
    recovery: text('recovery').$type<RecoveryMode>().notNull().default('off'),
    /** Null: unrestricted. */
    policy: jsonb('policy').$type<PolicyRules>(),
    /** Counts the changes of the policy; see `update-policy.ts`. */
    policyRevision: integer('policy_revision').notNull().default(0),
    onIdle: text('on_idle').$type<IdleAction>().notNull().default('end'),
    /** The recoveries in a row that have begun and not led to a bound sandbox. */
    recoveryAttempts: integer('recovery_attempts').notNull().default(0),
    /** Why the latest sandbox was lost. */
    lostReason: text('lost_reason').$type<LossReason>(),
    lostMessage: text('lost_message'),
    lastRecovery: jsonb('last_recovery').$type<LastRecovery>(),
    /** The budget that the session shares, perhaps with others; null: it has none. */
    budgetOf: text('budget_of').references(() => budgets.id),
    /** A session that is still `creating` at this time has failed to start; one that is `recovering` or `resuming` begins again; one that is `pausing` is active again. */
    startDeadlineAt: time('start_deadline_at').notNull(),
    endedAt: time('ended_at'),
    endReason: text('end_reason').$type<EndReason>(),
    /** The cause in the runtime's own words. */
    endMessage: text('end_message'),
    /** When the last sandbox of the ended session was found to be gone. */
    sandboxGoneAt: time('sandbox_gone_at'),
    /** When the client asked to delete the session. The row is deleted once its sandboxes are gone. */
    deleteRequestedAt: time('delete_requested_at'),
    /** A reconciler takes the row only after this time, and postpones it when it does. */
    nextCheckAt: time('next_look_at').notNull().defaultNow(),
  },
  (table) => [
    index('sessions_by_tenant').on(table.tenant, table.createdAt.desc(), table.id.desc()),
    uniqueIndex('sessions_by_client_key')
      .on(table.tenant, table.clientKey)
      .where(sql`${table.clientKey} is not null and ${table.endedAt} is null`),
    index('sessions_by_metadata').using('gin', sql`${table.metadata} jsonb_path_ops`),
    index('sessions_in_quota').on(table.tenant).where(sql`${table.sandboxGoneAt} is null`),
    index('sessions_due')
      .on(table.nextCheckAt)
      .where(sql`${table.sandboxGoneAt} is null or ${table.deleteRequestedAt} is not null`),
    index('sessions_by_budget').on(table.budgetOf).where(sql`${table.budgetOf} is not null`),
    index('sessions_at_rest').on(table.endedAt).where(sql`${table.sandboxGoneAt} is not null`),
  ],
);

/** Deleted sessions, so that their ids answer 410 and not 404. */
export const tombstones = pgTable('tombstones', {
  sessionId: text('session_id').primaryKey(),
  tenant: text('tenant').notNull(),
  deletedAt: time('deleted_at').notNull().defaultNow(),
});

export type SessionRow = typeof sessions.$inferSelect;
export type TombstoneRow = typeof tombstones.$inferSelect;
