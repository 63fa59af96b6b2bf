import type { Queries } from '../queries.ts';

/** `known`: another object already has these bytes; its hour begins anew. `gone`: this object was given up meanwhile. */
type Finished = 'stored' | 'known' | 'gone';

type FinishContentInput = { id: string; sha256: string; size: number };

/** Records the hash of a completely written object, by which the content is found from now on. */
export async function finishContent({ transaction }: Queries, input: FinishContentInput): Promise<Finished> {
  // The attempt has a transaction of its own, so that its failure leaves the caller's one usable.
  return await transaction((tx) => attempt(tx, input)).catch((error) => {
    // A concurrent finish of the same bytes committed after this statement began; the next statement sees it.
    if (error?.code === uniqueViolation) return transaction((tx) => attempt(tx, input));
    throw error;
  });
}

async function attempt({ sql }: Queries, { id, sha256, size }: FinishContentInput): Promise<Finished> {
  const [row] = await sql<{ finished: Finished }[]>`
    with known as (
      update contents set touched_at = now() where sha256 = decode(${sha256}, 'hex') returning id
    ), stored as (
      update contents set sha256 = decode(${sha256}, 'hex'), size = ${size}::bigint, touched_at = now()
      where id = ${id} and sha256 is null and isfinite(touched_at) and not exists (select from known)
      returning id
    )
    select case
      when exists (select from known) then 'known' when exists (select from stored) then 'stored' else 'gone'
    end as finished`;
  return row?.finished ?? 'gone';
}

const uniqueViolation = '23505';
