import { type SQL, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { processes } from '../schema/processes.ts';
import { steps } from '../schema/steps.ts';

export type StepHold = { stepId: string; replicaId: string };
export type ProcessHold = { processId: string; replicaId: string };
/** The step or the process of which a replica has drawn a conclusion, as long as it follows it. */
export type Hold = StepHold | ProcessHold;

/**
 * Whether the registry says that this replica has nothing more to decide about a step: its end is recorded, or it was handed over. A
 * step without a row is not held by another: its intent was not written yet.
 */
export async function isHeldByAnother({ orm }: Queries, hold: StepHold): Promise<boolean> {
  const held = await orm
    .select({ id: steps.id })
    .from(steps)
    .where(sql`${steps.id} = ${hold.stepId} and ${notOf(hold)}`);
  return held.length > 0;
}

/**
 * The same as the condition of another statement. It locks the step's row, so that an end which is about to commit decides. Without the
 * limit the planner would filter the row first, as it was before, and lock only what is left.
 */
export const heldByAnother = (hold: Hold): SQL => ('processId' in hold ? processHeld(hold) : stepHeld(hold));

const stepHeld = (hold: StepHold): SQL => sql`exists (
  select from (select ${steps.replicaId} from ${steps} where ${steps.id} = ${hold.stepId} limit 1 for update) as ${steps}
  where ${notOf(hold)}
)`;

/** A process has a row before it is sent. */
const processHeld = ({ processId, replicaId }: ProcessHold): SQL => sql`not exists (
  select from (select ${processes.replicaId} from ${processes} where ${processes.id} = ${processId} limit 1 for update) as ${processes}
  where ${processes.replicaId} = ${replicaId}
)`;

const notOf = ({ replicaId }: StepHold): SQL => sql`${steps.replicaId} is distinct from ${replicaId}`;
