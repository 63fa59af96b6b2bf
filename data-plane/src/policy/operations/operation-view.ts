import type { Operation } from '@holdfast/specs/public';
import type { AnswerableOperation } from '../../registry/operations/find-operation.ts';

/** The public operation. Pure. */
export const operationView = (row: AnswerableOperation): Operation => ({
  id: row.id,
  sessionId: row.sessionId,
  stepId: row.stepId,
  name: row.name,
  arguments: JSON.parse(row.arguments),
  status: row.status,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  answeredAt: row.answeredAt?.toISOString() ?? null,
});
