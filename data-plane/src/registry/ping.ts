import type { Database } from './connect.ts';

/** Resolves where the database answers; rejects with its error. */
export async function ping({ sql }: Pick<Database, 'sql'>): Promise<void> {
  await sql`select 1`;
}
