import type { AuditActor, AuditDecision } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, integer, jsonb, numeric, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/**
 * Everything that was done to sessions and in them, to API keys and to snapshots with a name, and everything that was refused. The role of the data-plane may read and add rows, and neither change nor
 * delete them: the command `purge-audit` does that under the role that owns the tables. Rows outlive their session.
 *
 * Triggers of `sessions` add the row for every change of a session's status or epoch, so no statement can forget it.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Null for anything of the tenant that belongs to no session, such as its API keys. */
    sessionId: text('session_id'),
    tenant: text('tenant').notNull(),
    /** The time of the change and not of the beginning of its transaction, which may have waited for another one. */
    time: time('time').notNull().default(sql`clock_timestamp()`),
    /** The number of the step that it belongs to. */
    turn: integer('turn'),
    stepId: text('step_id'),
    actor: text('actor').$type<AuditActor>().notNull(),
    actorName: text('actor_name'),
    keyId: text('key_id'),
    operation: text('operation').notNull(),
    arguments: jsonb('arguments').$type<Record<string, unknown>>(),
    decision: text('decision').$type<AuditDecision>().notNull(),
    /** The rule that denied it, or that allowed it if a rule names it. */
    rule: text('rule'),
    /** How many calls of the same kind the entry stands for. */
    count: integer('count').notNull().default(1),
    durationMs: doublePrecision('duration_ms'),
    tokens: bigint('tokens', { mode: 'number' }),
    cost: numeric('cost', { mode: 'number' }),
  },
  (table) => [
    index('audit_entries_by_session').on(table.sessionId, table.id),
    index('audit_entries_without_session').on(table.tenant, table.time).where(sql`${table.sessionId} is null`),
    index('audit_entries_without_session_by_time').on(table.time, table.id).where(sql`${table.sessionId} is null`),
    index('audit_entries_by_time').using('brin', table.time),
  ],
);
