import type { ListOrder, Page } from '@holdfast/specs/public';
import { cancelWith } from '../cancel-with.ts';
import { decodeNumberCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type FoundStep, foundStepColumns } from './find-step.ts';

type ListStepsInput = {
  sessionId: string;
  order?: ListOrder;
  limit: number;
  cursor?: string | undefined;
  onlyJobs?: boolean;
};

/** A step of a page, before it is read. */
export type ListedStep = { number: number; bytes: number };

/** The maximum size of all steps of a page together. A larger step gets a page of its own. */
const pageBytesMax = 4 * 1024 * 1024;

/**
 * The numbers and sizes of a page of steps by number, without those that were purged.
 * @throws Problem `invalid-request` if the cursor is invalid.
 */
export async function listSteps(
  { sql }: Queries,
  { sessionId, order = 'asc', limit, cursor, onlyJobs = false }: ListStepsInput,
): Promise<Page<ListedStep>> {
  const start = cursor === undefined ? null : decodeNumberCursor(cursor);
  const beyond = order === 'asc' ? sql`number > coalesce(${start}::int, 0)` : sql`number < ${start}::int`;
  const sizes = await sql<ListedStep[]>`
    select number, octet_length(code) + coalesce(octet_length(events), 0) as bytes from steps
    where session_id = ${sessionId} and (${start}::int is null or ${beyond}) and not is_forgotten and not is_silent
      and (job is not null or not ${onlyJobs})
    order by number ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit + 1}::int`;
  const items = firstThatFit(sizes, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && sizes.length > items.length ? encodeCursor([last.number]) : null };
}

type ReadStepsInput = {
  sessionId: string;
  first: number;
  last: number;
  order?: ListOrder;
  onlyJobs?: boolean;
  signal: AbortSignal;
};

/** The steps from one number to another, in this order. */
export async function readSteps(
  { sql }: Queries,
  { sessionId, first, last, order = 'asc', onlyJobs = false, signal }: ReadStepsInput,
): Promise<FoundStep[]> {
  const [low, high] = order === 'asc' ? [first, last] : [last, first];
  const values = [sessionId, low, high, onlyJobs];
  return await cancelWith(signal, sql.unsafe<FoundStep[]>(texts[order], values, { prepare: true }));
}

const text = `
  select ${foundStepColumns} from steps where session_id = $1 and number between $2 and $3 and not is_forgotten and not is_silent and (job is not null or not $4::boolean) order by number`;

const texts: Record<ListOrder, string> = { asc: text, desc: `${text} desc` };

function firstThatFit(sizes: ListedStep[], limit: number): ListedStep[] {
  let bytes = 0;
  const cut = sizes.findIndex((step, index) => {
    bytes += step.bytes;
    return index === limit || (index > 0 && bytes > pageBytesMax);
  });
  return sizes.slice(0, cut === -1 ? sizes.length : cut);
}
