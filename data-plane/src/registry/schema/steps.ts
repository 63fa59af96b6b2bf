import type {
  BudgetRemaining,
  Cause,
  CodeLanguage,
  Expressions,
  JobProgram,
  Outcome,
  StepStatus,
} from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';

/**
 * The history. `events` holds the step's frames (specs/src/agent/frames.ts), so output is stored as the original bytes; those of a large step
 * may be packed (steps/packed-events.ts). A migration sets its storage to `external`: without compression by Postgres, a part of a large value
 * can be read without the rest.
 *
 * `session_id` has no foreign key, because checking one costs a query for each step. Instead, every statement that inserts a step also
 * locks its session's row and finds it there, and a trigger deletes the steps of a session that is deleted.
 */
export const steps = pgTable(
  'steps',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id').notNull(),
    number: integer('number').notNull(),
    /** Null for a job. */
    contextId: text('context_id'),
    epoch: integer('epoch').notNull(),
    contextEpoch: integer('context_epoch'),
    actor: text('actor').$type<'agent' | 'user'>().notNull(),
    /** The API key of its request. */
    keyId: text('key_id'),
    actorName: text('actor_name'),
    language: text('language').$type<CodeLanguage>().notNull(),
    code: text('code').notNull(),
    /** The program of a job, null for any other step. */
    job: jsonb('job').$type<JobProgram>(),
    /** Whether the history of the session does not have it. `execution_count` is then that of the next step of its kernel that is in it. */
    isSilent: boolean('is_silent').notNull().default(false),
    /** Its place among the silent steps of its kernel. */
    silentCount: integer('silent_count'),
    /** Its context evaluates them after the code. */
    expressions: jsonb('expressions').$type<Expressions>(),
    /** Whether a recovery may run the whole step again. */
    replay: boolean('replay').notNull().default(false),
    status: text('status').$type<StepStatus>().notNull(),
    outcome: jsonb('outcome').$type<Outcome>(),
    cause: jsonb('cause').$type<Cause>(),
    /** With which code its code exited, if it did. A job's is in its cause. */
    exitCode: integer('exit_code'),
    truncated: boolean('truncated').notNull().default(false),
    events: bytea('events'),
    executionCount: integer('execution_count'),
    /** SHA-256 of the request that came with an Idempotency-Key. */
    fingerprint: bytea('fingerprint'),
    /** All but the id and the fingerprint was purged, so that a repeat of the request still finds its step. */
    isForgotten: boolean('is_forgotten').notNull().default(false),
    /** The replica that follows the step; null once the step has ended. */
    replicaId: text('replica_id'),
    /** When the step got this replica, by the database's clock. */
    assignedAt: time('assigned_at').notNull().defaultNow(),
    /** Tells the admission that inserted the row from any other admission of the same id. Null for a step that needed none. */
    admissionId: text('admission_id'),
    /** The step whose code runs this one. */
    parentStepId: text('parent_step_id'),
    /** How long the step may run. The replica that follows it enforces this. */
    timeoutMs: integer('timeout_ms').notNull(),
    queuedAt: time('queued_at').notNull(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
    /** Wall time of the run in milliseconds, as the agent measured it. */
    durationMs: doublePrecision('duration_ms'),
    cpuSeconds: doublePrecision('cpu_seconds'),
    memoryBytesMax: bigint('memory_bytes_max', { mode: 'number' }),
    /** Whether its end is to be delivered to webhooks of the session. A trigger queues it. */
    notifies: boolean('notifies').notNull().default(false),
    /** The budget from which the step has reserved; null: it was admitted without one. */
    budgetId: text('budget_id'),
    reservedIterations: integer('reserved_iterations').notNull().default(0),
    /** Null: the budget had no limit of time. */
    reservedMs: integer('reserved_ms'),
    /** By the database's clock. */
    reservedAt: time('reserved_at'),
    /** Whether `timeoutMs` is what the budget had left, and not what the step asked for. */
    isCutByBudget: boolean('is_cut_by_budget').notNull().default(false),
    /** The time that the budget was charged, set with the end. */
    chargedMs: doublePrecision('charged_ms'),
    /** At the admission, and then at the end. */
    budgetRemaining: jsonb('budget_remaining').$type<BudgetRemaining>(),
    /** The tokens that the host has reported for operations of the step. */
    tokensUsed: bigint('tokens_used', { mode: 'number' }),
  },
  (table) => [
    uniqueIndex('steps_by_number').on(table.sessionId, table.number),
    index('steps_forgotten').on(table.finishedAt).where(sql`${table.isForgotten}`),
    index('steps_unfinished').on(table.sessionId, table.replicaId).where(sql`${table.replicaId} is not null`),
  ],
);

export type StepRow = typeof steps.$inferSelect;

/**
 * The events of large steps on their way into `steps`, piece by piece, within the transaction that records an end. The table is empty to
 * everyone else, and is not logged.
 */
export const stepEventPieces = pgTable(
  'step_event_pieces',
  {
    stepId: text('step_id').notNull(),
    /** Counts from 0. */
    number: integer('number').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.stepId, table.number] })],
);
