import type { PolicyRules } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** The policy of the session as it is now; null if it is unrestricted. */
export async function findPolicy({ sql }: Queries, { id }: { id: string }): Promise<PolicyRules | null> {
  const [session] = await sql<{ policy: PolicyRules | null }[]>`select policy from sessions where id = ${id}`;
  return session?.policy ?? null;
}
