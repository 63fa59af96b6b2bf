import type { AuditActor } from '@holdfast/specs/public';
import { type SQL, sql } from 'drizzle-orm';

/** The name of a change of a session in the audit log, and the one who asked for it. */
export type Change = {
  actor: AuditActor;
  actorName?: string | undefined;
  /** The API key, or null without one. */
  keyId?: string | null | undefined;
  operation: string;
  arguments?: Record<string, unknown>;
};

/** As it is stored. A trigger believes it only in the transaction that it names: the next change may not be theirs. */
export type ChangedBy = Change & { transaction: string };

/** The value of `changed_by` in a statement that changes a session; without a change, the value that it has. */
export const changedBy = (change: Change | undefined): SQL =>
  change
    ? sql`${JSON.stringify(change)}::text::jsonb || jsonb_build_object('transaction', pg_current_xact_id()::text)`
    : sql`changed_by`;
