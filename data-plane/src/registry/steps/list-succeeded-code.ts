import { and, desc, eq, isNotNull, lte, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type StepRow, steps } from '../schema/steps.ts';

export type SucceededCode = Pick<StepRow, 'contextId' | 'contextEpoch' | 'executionCount' | 'code' | 'actor'> & {
  stepId: string;
};

/** More code than this is cut off at its beginning. */
const codeBytesMax = 16 * 1024 * 1024;

/**
 * The code of the steps that succeeded in this sandbox, in the order in which they ran. Within a context, the order is the kernel's own
 * count, which does not depend on clocks. Contexts are interleaved by the latest start so far.
 */
export async function listSucceededCode(
  { orm }: Queries,
  { sessionId, epoch }: { sessionId: string; epoch: number },
): Promise<SucceededCode[]> {
  const ran = orm.$with('ran').as(
    orm
      .select({
        id: steps.id,
        contextId: steps.contextId,
        contextEpoch: steps.contextEpoch,
        executionCount: steps.executionCount,
        codeBytes: sql<number>`octet_length(${steps.code})`.as('code_bytes'),
        since: sql`max(${steps.startedAt}) over (
          partition by ${steps.contextId} order by ${steps.contextEpoch}, ${steps.executionCount})`.as('since'),
      })
      .from(steps)
      .where(
        and(
          eq(steps.sessionId, sessionId),
          eq(steps.epoch, epoch),
          eq(steps.status, 'succeeded'),
          isNotNull(steps.contextId),
        ),
      ),
  );
  const order = [ran.since, ran.contextId, ran.contextEpoch, ran.executionCount];
  const latestFirst = sql.join(order.map(desc), sql`, `);
  const measured = orm.$with('measured').as(
    orm
      .select({
        id: ran.id,
        place: sql`row_number() over (order by ${latestFirst})`.as('place'),
        bytes: sql<number>`sum(${ran.codeBytes}) over (order by ${latestFirst} rows unbounded preceding)`.as('bytes'),
      })
      .from(ran),
  );
  const { contextId, contextEpoch, executionCount, code, actor, id: stepId } = steps;
  return orm
    .with(ran, measured)
    .select({ contextId, contextEpoch, executionCount, code, actor, stepId })
    .from(steps)
    .innerJoin(measured, eq(measured.id, steps.id))
    .where(lte(measured.bytes, codeBytesMax))
    .orderBy(desc(measured.place));
}
