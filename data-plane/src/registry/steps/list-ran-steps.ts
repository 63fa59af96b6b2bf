import { cancelWith } from '../cancel-with.ts';
import type { Queries } from '../queries.ts';
import { type FoundStep, foundStepColumns } from './find-step.ts';

/** A step whose code ran in a context. `bytes`: its code and its events, as they are stored. */
export type RanStep = { id: string; epoch: number; contextEpoch: number; bytes: number };

/** The steps of a context that have ended after their code had begun, in the order in which the kernels ran them. Messages of front ends have no code. */
export async function listRanSteps(
  { sql }: Queries,
  { sessionId, contextId }: { sessionId: string; contextId: string },
): Promise<RanStep[]> {
  return await sql<RanStep[]>`
    select id, epoch, context_epoch as "contextEpoch", octet_length(code) + coalesce(octet_length(events), 0) as bytes
    from steps
    where session_id = ${sessionId} and context_id = ${contextId} and finished_at is not null
      and execution_count > 0 and code <> '' and not is_forgotten and not is_silent
    order by epoch, context_epoch, execution_count`;
}

/** Steps by their ids, in any order. */
export async function readRanSteps(
  { sql }: Queries,
  { sessionId, ids, signal }: { sessionId: string; ids: readonly string[]; signal: AbortSignal },
): Promise<FoundStep[]> {
  return await cancelWith(signal, sql.unsafe<FoundStep[]>(text, [sessionId, [...ids]], { prepare: true }));
}

const text = `select ${foundStepColumns} from steps where session_id = $1 and id = any($2::text[])`;
