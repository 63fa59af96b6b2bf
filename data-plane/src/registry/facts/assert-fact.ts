import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import type { StorageLimits } from '../tenants/read-room.ts';
import { recountWithinLimits } from '../tenants/recount-within-limits.ts';

type AssertFactInput = {
  sessionId: string;
  subject: string;
  predicate: string;
  /** JSON. */
  object: string;
  digest: Buffer;
  countMax: number;
  limits: StorageLimits;
  entry: NewAuditEntry;
};

/**
 * `asserted`: the fact is new; `known`: it was there. `full`: the session has too many.
 * @throws Problem 507
 */
export async function assertFact(
  db: Queries,
  { sessionId, subject, predicate, object, digest, countMax, limits, entry }: AssertFactInput,
): Promise<'asserted' | 'known' | 'full'> {
  return await db.transaction(async (tx) => {
    const { sql } = tx;
    // The statements after the lock see what other ones have asserted before them.
    await sql`select from sessions where id = ${sessionId} for no key update`;
    const { count: asserted } = await sql`
      insert into facts (session_id, subject, predicate, object, digest)
      select ${sessionId}, ${subject}, ${predicate}, ${object}, ${digest}::bytea
      where (select count(*) from facts where session_id = ${sessionId}) < ${countMax}
      on conflict do nothing`;
    if (asserted > 0) {
      await recordAudit(tx, entry);
      await recountWithinLimits(tx, { sessionId, tenant: entry.tenant, limits });
      return 'asserted';
    }
    const { count: known } = await sql`
      select from facts
      where session_id = ${sessionId} and subject = ${subject} and predicate = ${predicate} and digest = ${digest}`;
    if (known === 0) return 'full';
    await recordAudit(tx, entry);
    return 'known';
  });
}
