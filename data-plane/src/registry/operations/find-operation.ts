import type { OperationStatus } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import type { OperationRow } from '../schema/operations.ts';

/** An operation as clients see it, with what is needed to deliver its answer. */
export type AnswerableOperation = Pick<
  OperationRow,
  | 'id'
  | 'sessionId'
  | 'stepId'
  | 'call'
  | 'name'
  | 'arguments'
  | 'answer'
  | 'fingerprint'
  | 'createdAt'
  | 'answeredAt'
  | 'deliveredAt'
> & {
  status: OperationStatus;
  expiresAt: Date;
  /** That of its step. */
  epoch: number;
};

/** The status as of now: a step that has ended waits for nothing, and no one may have looked since the deadline. */
const statusNow = `case
  when o.status <> 'pending' then o.status when s.finished_at is not null then 'ended'
  when o.deadline <= now() then 'timed_out' else 'pending' end`;

/** The columns of an `AnswerableOperation`, from the operation `o` and its step `s`. */
export const answerableColumns = ({ sql }: Pick<Queries, 'sql'>) =>
  sql.unsafe(`o.id, o.session_id as "sessionId", o.step_id as "stepId", o.call, o.name, o.arguments, o.answer, o.fingerprint,
    o.created_at as "createdAt", o.answered_at as "answeredAt", o.delivered_at as "deliveredAt", ${statusNow} as status,
    o.deadline as "expiresAt", s.epoch`);

/** Only those that wait, on rows as above. */
export const isPending = `o.status = 'pending' and s.finished_at is null and o.deadline > now()`;

export async function findOperation(
  { sql }: Queries,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<AnswerableOperation | null> {
  const [found] = await sql<AnswerableOperation[]>`
    select ${answerableColumns({ sql })} from operations o join steps s on s.id = o.step_id
    where o.id = ${id} and o.session_id = ${sessionId}`;
  return found ?? null;
}
