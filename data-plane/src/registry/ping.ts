import type { Queries } from './queries.ts';

/** Resolves if the database answers; otherwise rejects with its error. */
export async function ping({ sql }: Queries): Promise<void> {
  await sql`select 1`;
}
