import { and, eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { type StepRow, steps } from '../schema.ts';

/** The step with its events. */
export async function findStep(
  { orm }: Pick<Database, 'orm'>,
  { sessionId, stepId }: { sessionId: string; stepId: string },
): Promise<StepRow | null> {
  const [step] = await orm
    .select()
    .from(steps)
    .where(and(eq(steps.id, stepId), eq(steps.sessionId, sessionId)));
  return step ?? null;
}
