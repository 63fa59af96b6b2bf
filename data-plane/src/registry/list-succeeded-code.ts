import { and, asc, desc, eq, lte, sql } from 'drizzle-orm';
import type { Database } from './connect.ts';
import { type StepRow, steps } from './schema.ts';

export type SucceededCode = Pick<StepRow, 'contextId' | 'contextEpoch' | 'executionCount' | 'code' | 'actor'> & {
  stepId: string;
};

/** More code than this is cut off at its beginning. */
const codeBytesMax = 16 * 1024 * 1024;

/** The code of the steps that succeeded in this life of the sandbox, in the order in which they ran. */
export async function listSucceededCode(
  { orm }: Pick<Database, 'orm'>,
  { sessionId, epoch }: { sessionId: string; epoch: number },
): Promise<SucceededCode[]> {
  const latestFirst = sql`${desc(steps.startedAt)}, ${desc(steps.executionCount)}`;
  const measured = orm.$with('measured').as(
    orm
      .select({
        id: steps.id,
        bytes: sql<number>`sum(octet_length(${steps.code})) over (order by ${latestFirst})`.as('bytes'),
      })
      .from(steps)
      .where(and(eq(steps.sessionId, sessionId), eq(steps.epoch, epoch), eq(steps.status, 'succeeded'))),
  );
  const { contextId, contextEpoch, executionCount, code, actor, id: stepId } = steps;
  return orm
    .with(measured)
    .select({ contextId, contextEpoch, executionCount, code, actor, stepId })
    .from(steps)
    .innerJoin(measured, eq(measured.id, steps.id))
    .where(lte(measured.bytes, codeBytesMax))
    .orderBy(asc(steps.startedAt), asc(steps.executionCount));
}
