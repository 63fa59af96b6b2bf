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
 * Oldest first.
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
      ${after ? sql`and (o.created_at, o.id) > (${after.at.toISOString()}::timestamptz, ${after.id})` : sql``}
    order by o.created_at, o.id limit ${limit + 1}`;
  return timePage(rows, limit);
}
