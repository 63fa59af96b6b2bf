import type { Database } from '../connect.ts';

/** `known`: there is an object with the same bytes already, which is kept for another hour. `gone`: this one was given up. */
type Finished = 'kept' | 'known' | 'gone';

/** Gives the bytes of a whole object their name. */
export async function finishContent(
  { sql }: Pick<Database, 'sql'>,
  { id, sha256, size }: { id: string; sha256: string; size: number },
): Promise<Finished> {
  const attempt = async (): Promise<Finished> => {
    const [row] = await sql<{ finished: Finished }[]>`
      with known as (
        update contents set touched_at = now() where sha256 = decode(${sha256}, 'hex') returning id
      ), kept as (
        update contents set sha256 = decode(${sha256}, 'hex'), size = ${size}::bigint, touched_at = now()
        where id = ${id} and sha256 is null and isfinite(touched_at) and not exists (select from known)
        returning id
      )
      select case when exists (select from known) then 'known' when exists (select from kept) then 'kept' else 'gone' end as finished`;
    return row?.finished ?? 'gone';
  };
  // Whoever finished the same bytes between the statement's view and its write is seen by the next one.
  return await attempt().catch((error) => (error?.code === uniqueViolation ? attempt() : Promise.reject(error)));
}

const uniqueViolation = '23505';
