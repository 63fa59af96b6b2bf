import type { OperationStatus, Page } from '@holdfast/specs/public';
import { decodeTimeCursor, timePage } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type AnswerableOperation, answerableColumns, isPending } from './find-operation.ts';

type ListOperationsInput = {
  sessionId: string;
  status?: Extract<OperationStatus, 'pending'> | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * In the order in which they became visible, so one that comes late is on a later page. The cursor has the time of an operation as well, for
 * replicas of earlier versions.
 * @throws Problem `invalid-request` if the cursor is invalid
 */
export async function listOperations(
  { sql }: Queries,
  { sessionId, status, limit, cursor }: ListOperationsInput,
): Promise<Page<AnswerableOperation>> {
  const after = cursor === undefined ? null : decodeTimeCursor(cursor);
  const rows = await sql<AnswerableOperation[]>`
    select ${answerableColumns({ sql })} from operations o join steps s on s.id = o.step_id
    where o.session_id = ${sessionId}
      ${status === 'pending' ? sql.unsafe(`and ${isPending}`) : sql``}
      and o.place > coalesce((
        select seen.place from operations seen where seen.id = ${after?.id ?? null} and seen.session_id = ${sessionId}), 0)
    order by o.place limit ${limit + 1}`;
  return timePage(rows, limit);
}
