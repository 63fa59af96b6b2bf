import type { Queries } from '../queries.ts';

type FindFactsInput = {
  sessionId: string;
  subject: string | null;
  predicate: string | null;
  digest: Buffer | null;
  limit: number;
};

/** `object` is JSON. */
export type Fact = { subject: string; predicate: string; object: string };

/** The facts that have all the parts that are not null, oldest first. */
export async function findFacts(
  { sql }: Queries,
  { sessionId, subject, predicate, digest, limit }: FindFactsInput,
): Promise<Fact[]> {
  return await sql<Fact[]>`
    select subject, predicate, object from facts
    where session_id = ${sessionId}
      and (${subject}::text is null or subject = ${subject})
      and (${predicate}::text is null or predicate = ${predicate})
      and (${digest}::bytea is null or digest = ${digest})
    order by created_at, subject, predicate, digest limit ${limit}`;
}
