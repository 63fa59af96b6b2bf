import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SandboxRow, type SandboxState, sandboxes } from '../schema/sandboxes.ts';

/** The states, among those that this version knows, of a sandbox of which something may be left. */
export const statesBeforeGone = ['launching', 'bound', 'fencing'] as const satisfies readonly SandboxState[];

/** The session's sandboxes of which something may be left, of every epoch, oldest first. */
export async function listSandboxesLeft(
  { orm }: Queries,
  { sessionId }: { sessionId: string },
): Promise<Pick<SandboxRow, 'epoch' | 'name' | 'uid'>[]> {
  const { epoch, name, uid } = sandboxes;
  return orm
    .select({ epoch, name, uid })
    .from(sandboxes)
    .where(and(eq(sandboxes.sessionId, sessionId), inArray(sandboxes.state, statesBeforeGone)))
    .orderBy(asc(epoch));
}
