import type { Operation, OperationStatus, Page } from '@holdfast/specs/public';
import type { Database } from '../../registry/connect.ts';
import { listOperations as listOperationRows } from '../../registry/operations/list-operations.ts';
import type { Caller } from '../../sessions/caller.ts';
import { existingSession } from '../../sessions/existing-session.ts';
import { operationView } from './operation-view.ts';

type ListOperationsInput = {
  caller: Caller;
  sessionId: string;
  status?: Extract<OperationStatus, 'pending'> | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * The operations that steps have called and the host answers, oldest first.
 * @throws Problem 400 (cursor), 404, 410 (deleted session)
 */
export async function listOperations(
  { db }: { db: Database },
  { caller, sessionId, ...wanted }: ListOperationsInput,
): Promise<Page<Operation>> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await listOperationRows(db, { sessionId, ...wanted });
  return { items: items.map(operationView), nextCursor };
}
