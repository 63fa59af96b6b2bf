import type { LastRecovery } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type KernelLoss = {
  sessionId: string;
  contextId: string;
  /** That of the kernel that followed the lost one. */
  contextEpoch: number;
  /** Has this one context, and the session's present epoch. */
  lastRecovery: LastRecovery;
};

/**
 * Records what became of the state of a context whose kernel was lost, as the session's last recovery. Changes nothing if a client asked for the new
 * kernel (the context then began anew there), or if the recovery that made it is recorded already.
 */
export async function recordKernelLoss({ sql }: Queries, loss: KernelLoss): Promise<void> {
  const { sessionId, contextId, contextEpoch, lastRecovery } = loss;
  const { epoch } = lastRecovery;
  await sql`
    update sessions set last_recovery = ${JSON.stringify(lastRecovery)}::text::jsonb, updated_at = now()
    where id = ${sessionId} and epoch = ${epoch}::int and status in ('active', 'budget_exceeded')
      and not exists (
        select from snapshots where session_id = ${sessionId} and context_id = ${contextId} and origin = 'base'
          and epoch = ${epoch}::int and context_epoch = ${contextEpoch}::int
      )
      and not exists (
        select from jsonb_array_elements(last_recovery -> 'contexts') known
        where (last_recovery ->> 'epoch')::int = epoch and known ->> 'contextId' = ${contextId}
          and coalesce((known ->> 'contextEpoch')::int, ${contextEpoch}::int) >= ${contextEpoch}::int
      )`;
}
