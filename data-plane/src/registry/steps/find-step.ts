import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type StepRow, steps } from '../schema/steps.ts';

/** The step with its events. */
export async function findStep(
  { orm }: Queries,
  { sessionId, stepId }: { sessionId: string; stepId: string },
): Promise<StepRow | null> {
  const [step] = await orm
    .select()
    .from(steps)
    .where(and(eq(steps.id, stepId), eq(steps.sessionId, sessionId)));
  return step ?? null;
}
