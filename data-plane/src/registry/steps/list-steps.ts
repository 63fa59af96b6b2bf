import type { Page } from '@holdfast/specs/public';
import { and, asc, between, eq, gt, sql } from 'drizzle-orm';
import { decodeNumberCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type StepRow, steps } from '../schema/steps.ts';

type ListStepsInput = {
  sessionId: string;
  limit: number;
  cursor?: string | undefined;
  /** Only steps with a higher number. Ignored if there is a cursor. */
  after?: number | undefined;
};

/** The maximum size of all steps of a page together. A larger step gets a page of its own. */
const pageBytesMax = 4 * 1024 * 1024;

/**
 * The steps with their events, by number, without those that were purged.
 * @throws Problem `invalid-request` if the cursor is invalid.
 */
export async function listSteps(
  { orm }: Queries,
  { sessionId, limit, cursor, after = 0 }: ListStepsInput,
): Promise<Page<StepRow>> {
  const start = cursor === undefined ? after : decodeNumberCursor(cursor);
  // Reads the sizes first, which is cheap: Postgres stores the length of a large value apart from it.
  const sizes = await orm
    .select({ number: steps.number, bytes: stepBytes })
    .from(steps)
    .where(and(eq(steps.sessionId, sessionId), gt(steps.number, start), eq(steps.isForgotten, false)))
    .orderBy(asc(steps.number))
    .limit(limit + 1);
  const numbers = firstThatFit(sizes, limit);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return { items: [], nextCursor: null };
  const items = await orm
    .select()
    .from(steps)
    .where(and(eq(steps.sessionId, sessionId), between(steps.number, first, last)))
    .orderBy(asc(steps.number));
  return { items, nextCursor: sizes.length > numbers.length ? encodeCursor([last]) : null };
}

const stepBytes = sql<number>`octet_length(${steps.code}) + coalesce(octet_length(${steps.events}), 0)`;

function firstThatFit(sizes: { number: number; bytes: number }[], limit: number): number[] {
  let bytes = 0;
  const cut = sizes.findIndex((step, index) => {
    bytes += step.bytes;
    return index === limit || (index > 0 && bytes > pageBytesMax);
  });
  return sizes.slice(0, cut === -1 ? sizes.length : cut).map(({ number }) => number);
}
