import type { Queries } from '../queries.ts';

/** A step in the order of its session. */
export type StepPlace = { id: string; number: number; queuedAt: Date };

type AfterInput = { sessionId: string; after: number; limit: number };

/** The next steps after a number, without those that were purged. */
export async function listStepPlaces({ sql }: Queries, { sessionId, after, limit }: AfterInput): Promise<StepPlace[]> {
  return await sql<StepPlace[]>`
    select id, number, queued_at as "queuedAt" from steps
    where session_id = ${sessionId} and number > ${after}::int and not is_forgotten
    order by number limit ${limit}::int`;
}

/** The steps with these numbers that are there. */
export async function findStepPlaces(
  { sql }: Queries,
  { sessionId, numbers }: { sessionId: string; numbers: readonly number[] },
): Promise<StepPlace[]> {
  return await sql<StepPlace[]>`
    select id, number, queued_at as "queuedAt" from steps
    where session_id = ${sessionId} and number = any(${[...numbers]}::int[]) and not is_forgotten
    order by number`;
}

/** The numbers of the steps that have not ended. */
export async function listUnfinishedNumbers({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<number[]> {
  const rows = await sql<{ number: number }[]>`
    select number from steps where session_id = ${sessionId} and replica_id is not null order by number`;
  return rows.map(({ number }) => number);
}
