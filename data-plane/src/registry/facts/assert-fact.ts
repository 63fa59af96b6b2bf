import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';

type AssertFactInput = {
  sessionId: string;
  subject: string;
  predicate: string;
  /** JSON. */
  object: string;
  digest: Buffer;
  countMax: number;
  entry: NewAuditEntry;
};

/** `asserted`: the fact is new; `known`: it was there. `full`: the session has too many. */
export async function assertFact(
  db: Queries,
  { sessionId, subject, predicate, object, digest, countMax, entry }: AssertFactInput,
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
      await recountKeptBytes(tx, { sessionId });
      return 'asserted';
    }
    const { count: known } = await sql`
      select from facts
      where session_id = ${sessionId} and subject = ${subject} and predicate = ${predicate} and digest = ${digest}`;
    return known > 0 ? 'known' : 'full';
  });
}
