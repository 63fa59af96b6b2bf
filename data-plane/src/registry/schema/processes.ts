import type {
  BudgetRemaining,
  Cause,
  ProcessStatus,
  ResourceUsage,
  StartProcess,
  TerminalSize,
} from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { sessions } from './sessions.ts';

/**
 * The commands that were started in the sandboxes of sessions. The row comes first, then the agent gets the command. Output stays with the
 * agent while the process runs; its end brings the beginning and the end of the log.
 */
export const processes = pgTable(
  'processes',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    epoch: integer('epoch').notNull(),
    actor: text('actor').$type<'agent' | 'user'>().notNull(),
    actorName: text('actor_name'),
    /** The API key of its request. */
    keyId: text('key_id'),
    command: jsonb('command').$type<StartProcess['command']>().notNull(),
    /** As it was asked for; once it has started, as the agent resolved it. */
    cwd: text('cwd'),
    terminal: jsonb('terminal').$type<TerminalSize>(),
    status: text('status').$type<ProcessStatus>().notNull().default('running'),
    pid: integer('pid'),
    exitCode: integer('exit_code'),
    signal: text('signal'),
    cause: jsonb('cause').$type<Cause>(),
    /** Frames (specs/src/agent/process-frames.ts): the beginning and the end of the output. Null until the end. */
    log: bytea('log'),
    truncated: boolean('truncated').notNull().default(false),
    usage: jsonb('usage').$type<ResourceUsage>(),
    /** SHA-256 of the request that came with an Idempotency-Key. */
    fingerprint: bytea('fingerprint'),
    /** The replica that follows the process; null once it has ended. */
    replicaId: text('replica_id'),
    /** When the process got this replica, by the database's clock. */
    assignedAt: time('assigned_at').notNull().defaultNow(),
    /** Tells the admission that inserted the row from any other admission of the same id. */
    admissionId: text('admission_id').notNull(),
    /** Null: it has no timeout, and does not keep its session from being idle. */
    timeoutMs: integer('timeout_ms'),
    startedAt: time('started_at').notNull().defaultNow(),
    finishedAt: time('finished_at'),
    /** The budget that is charged for its time; null: it was started without one. */
    budgetId: text('budget_id'),
    /** The time that is reserved for it, which its follower adds to; null: the budget has no limit of time. */
    reservedMs: integer('reserved_ms'),
    /** The time that the budget was charged, set with the end. */
    chargedMs: doublePrecision('charged_ms'),
    budgetRemaining: jsonb('budget_remaining').$type<BudgetRemaining>(),
  },
  (table) => [
    uniqueIndex('processes_by_number').on(table.sessionId, table.number),
    index('processes_running').on(table.sessionId, table.replicaId).where(sql`${table.replicaId} is not null`),
  ],
);

export type ProcessRow = typeof processes.$inferSelect;
