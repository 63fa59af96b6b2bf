import type { ProposalStatus, ProposedChange } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { contents } from './contents.ts';
import { sessions } from './sessions.ts';

/** Changes of a session's world that wait for the host, or that it has decided. */
export const proposals = pgTable(
  'proposals',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Counts up within the session: a proposal is what changed since those before it. */
    number: integer('number').notNull(),
    /** The step whose code made the changes; null if they were found outside of any step. It has no foreign key because the step's row may be written later. */
    stepId: text('step_id'),
    /** `open` as long as one of its changes is. */
    status: text('status').$type<ProposalStatus>().notNull().default('open'),
    createdAt: time('created_at').notNull().defaultNow(),
    decidedAt: time('decided_at'),
    /** The one that decided last: the host, code that rolled its proposals back, or the end of the session. */
    decidedBy: text('decided_by').$type<'host' | 'code' | 'system'>(),
    decidedByKey: text('decided_by_key'),
  },
  (table) => [
    uniqueIndex('proposals_by_number').on(table.sessionId, table.number),
    index('proposals_open').on(table.sessionId).where(sql`${table.status} = 'open'`),
    index('proposals_by_step').on(table.stepId).where(sql`${table.stepId} is not null`),
  ],
);

/**
 * The changes of proposals, from the state of a path before to that after. A state without a digest has no file. A directory has
 * only `change`. The world together with the open changes, in the order of their numbers, is what the working copy is expected to be.
 */
export const proposalChanges = pgTable(
  'proposal_changes',
  {
    proposalId: text('proposal_id')
      .notNull()
      .references(() => proposals.id, { onDelete: 'cascade' }),
    sessionId: text('session_id').notNull(),
    /** That of the proposal. */
    number: integer('number').notNull(),
    /** Ordered by bytes (collation C), as in the world. */
    path: text('path').notNull(),
    kind: text('kind').$type<ProposedChange['kind']>().notNull(),
    change: text('change').$type<ProposedChange['change']>().notNull(),
    beforeSha256: bytea('before_sha256').references(() => contents.sha256),
    beforeSize: bigint('before_size', { mode: 'number' }),
    beforeExecutable: boolean('before_executable'),
    beforeMode: text('before_mode'),
    beforeTarget: text('before_target'),
    afterSha256: bytea('after_sha256').references(() => contents.sha256),
    afterSize: bigint('after_size', { mode: 'number' }),
    afterExecutable: boolean('after_executable'),
    afterMode: text('after_mode'),
    afterTarget: text('after_target'),
    status: text('status').$type<ProposalStatus>().notNull().default('open'),
    /** The change was rejected, and the working copy may still have it. */
    isInPlace: boolean('is_in_place').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.proposalId, table.kind, table.path] }),
    index('proposal_changes_open').on(table.sessionId, table.path).where(sql`${table.status} = 'open'`),
    index('proposal_changes_in_place').on(table.sessionId).where(sql`${table.isInPlace}`),
    index('proposal_changes_by_session').on(table.sessionId),
    index('proposal_changes_by_content_before').on(table.beforeSha256).where(sql`${table.beforeSha256} is not null`),
    index('proposal_changes_by_content_after').on(table.afterSha256).where(sql`${table.afterSha256} is not null`),
  ],
);

export type ProposalRow = typeof proposals.$inferSelect;
