import type { Artifact, ArtifactRole, Omission } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns.ts';
import { contents } from './contents.ts';
import { sessions } from './sessions.ts';

/** The changes that steps and jobs made to files. `stepId` has no foreign key because the step's row may be written later. */
export const artifacts = pgTable(
  'artifacts',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    stepId: text('step_id').notNull(),
    path: text('path').notNull(),
    role: text('role').$type<ArtifactRole>().notNull(),
    change: text('change').$type<Artifact['change']>().notNull(),
    size: bigint('size', { mode: 'number' }),
    sha256: bytea('sha256').references(() => contents.sha256),
    mimeType: text('mime_type'),
    concurrent: boolean('concurrent').notNull(),
    omission: text('omission').$type<Omission>(),
    /** The rule of the policy that forbids the change, which was put back. */
    rule: text('rule'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('artifacts_by_session').on(table.sessionId, table.createdAt, table.id),
    index('artifacts_by_step').on(table.stepId),
    index('artifacts_by_content').on(table.sha256).where(sql`${table.sha256} is not null`),
  ],
);

export type ArtifactRow = typeof artifacts.$inferSelect;
