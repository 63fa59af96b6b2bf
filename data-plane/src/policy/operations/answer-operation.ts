import { createHash } from 'node:crypto';
import type { OperationAnswer } from '@holdfast/specs/agent';
import {
  decimalOf,
  type Operation,
  type OperationResult,
  operationValueBytesMax,
  Problem,
} from '@holdfast/specs/public';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { type AnswerableOperation, findOperation } from '../../registry/operations/find-operation.ts';
import { markOperationDelivered } from '../../registry/operations/mark-operation-delivered.ts';
import { recordOperationAnswer } from '../../registry/operations/record-operation-answer.ts';
import type { Caller } from '../../sessions/caller.ts';
import { existingSession } from '../../sessions/existing-session.ts';
import type { Routes } from '../../sessions/sandbox-routes.ts';
import { type DeliverDependencies, deliverAnswer } from './deliver-answer.ts';
import type { HostCalls } from './host-calls.ts';
import { operationView } from './operation-view.ts';

type AnswerDependencies = DeliverDependencies & {
  db: Database;
  routes: Pick<Routes, 'find'>;
  hostCalls: Pick<HostCalls, 'delivered'>;
  log: Pick<Logger, 'warn'>;
  background(work: Promise<unknown>): void;
};

type AnswerInput = { caller: Caller; sessionId: string; operationId: string; result: OperationResult };

/**
 * Takes the host's answer to an operation. The first one counts; repeating it changes nothing. It is in the registry before this resolves,
 * so the code gets it even if this replica dies.
 *
 * @throws Problem 404, 409 `operation-ended` if it has another answer or waits no longer, 410, 413
 */
export async function answerOperation(
  deps: AnswerDependencies,
  { caller, sessionId, operationId: id, result }: AnswerInput,
): Promise<Operation> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const { usage, ...given } = result;
  const answer = JSON.stringify(given);
  if (Buffer.byteLength(answer) > operationValueBytesMax) {
    throw new Problem('body-too-large', { detail: `a result has at most ${operationValueBytesMax} bytes of JSON` });
  }
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([given, usage ?? null]))
    .digest();
  const spent = usage ? { tokens: usage.tokens ?? 0, cost: decimalOf(usage.cost ?? 0) } : null;
  const status = 'value' in result ? 'succeeded' : 'failed';
  const recording = {
    sessionId,
    id,
    status,
    answer,
    fingerprint,
    answeredBy: caller.keyId,
    spent,
  } as const;
  const recorded = await recordOperationAnswer(deps.db, recording);
  if (recorded) {
    await deliver(deps, recorded, given as OperationAnswer);
    return operationView(recorded);
  }
  const found = await findOperation(deps.db, { sessionId, id });
  if (!found) throw new Problem('not-found', { detail: `operation ${id} does not exist in this session` });
  if (!found.fingerprint?.equals(fingerprint)) throw new Problem('operation-ended', { detail: reasonOf(found) });
  return operationView(found);
}

/** If the code cannot get it now, the replica that follows the step delivers it. Never rejects. */
async function deliver(
  deps: AnswerDependencies,
  { id, sessionId, stepId, call, epoch }: AnswerableOperation,
  answer: OperationAnswer,
): Promise<void> {
  try {
    const route = await deps.routes.find(sessionId);
    if (route?.epoch !== epoch || !(await deliverAnswer(deps, route, { stepId, call, answer }))) return;
    deps.hostCalls.delivered(id);
    deps.background(markOperationDelivered(deps.db, { id }));
  } catch (err) {
    deps.log.warn({ err, sessionId, stepId }, 'the answer to an operation could not be delivered yet');
  }
}

function reasonOf({ id, status }: AnswerableOperation): string {
  if (status === 'ended') return `the step of operation ${id} has ended`;
  if (status === 'denied') return `the policy has denied operation ${id}`;
  if (status === 'timed_out') return `operation ${id} has waited too long`;
  return `operation ${id} has another answer already`;
}
