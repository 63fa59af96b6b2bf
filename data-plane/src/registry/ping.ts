import type { Queries } from './queries.ts';

/** Resolves where the database answers; rejects with its error. */
export async function ping({ sql }: Queries): Promise<void> {
  await sql`select 1`;
}
