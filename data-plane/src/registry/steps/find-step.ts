import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type StepRow, steps } from '../schema/steps.ts';
import { isPacked } from './packed-events.ts';

/** A step's row. `events` is null if there are none, or too many to be read at once: then `readEventBytes` reads them in parts. */
export type FoundStep = StepRow & { eventBytes: number };

/** The most bytes of events that are read with their step. */
const readAtOnceMax = 256 * 1024;

/** Measuring is cheap: Postgres stores the length of a large value apart from it, and that of packed events is in their head. */
const eventBytes = `coalesce(case
  when ${isPacked} then ('x' || encode(substring(events from 5 for 4), 'hex'))::bit(32)::int
  else octet_length(events) end, 0)`;

const events = `case when ${eventBytes} <= ${readAtOnceMax} then events end`;

/** The columns of a `FoundStep`. */
export const foundStepColumns = `${columnsOf(steps, { events })}, ${eventBytes} as "eventBytes"`;

const text = `select ${foundStepColumns} from steps where id = $1 and session_id = $2`;

export async function findStep(
  { sql }: Queries,
  { sessionId, stepId }: { sessionId: string; stepId: string },
): Promise<FoundStep | null> {
  const [step] = await sql.unsafe<FoundStep[]>(text, [stepId, sessionId], { prepare: true });
  return step ?? null;
}
