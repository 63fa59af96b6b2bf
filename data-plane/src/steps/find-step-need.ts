import { frameAt, inputWaitSchema } from '@holdfast/specs/agent';
import { eventContent, type Outcome } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Database } from '../registry/connect.ts';
import { findPendingOperation, type PendingOperation } from '../registry/operations/find-pending-operation.ts';
import type { StepRow } from '../registry/schema/steps.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import type { LiveStep } from './live-step.ts';

export type NeedDependencies = { db: Database; agents: Pick<AgentClient, 'call'>; routes: Pick<Routes, 'find'> };

/** A prompt may have 65,536 characters, all of which JSON escapes. */
const answerBytesMax = 512 * 1024;
/** Short, because a caller waits for this answer. */
const timeoutMs = 2000;

/**
 * The outcome `needs` of a step that has not ended, or null if the step waits for nothing now. Operations are in the registry. For input,
 * its agent is asked, because the frames do not show whether a request was answered, perhaps through another replica. Neither is
 * asked if this replica follows the step and its frames contain no request.
 *
 * @param need `after`: an operation that the client has seen; it and earlier ones are not what the client waits for
 */
export async function findStepNeed(
  { db, agents, routes }: NeedDependencies,
  { row, live, after }: { row: StepRow; live: Pick<LiveStep, 'inputRequest' | 'request'> | undefined; after?: string },
): Promise<Outcome | null> {
  if (live && !live.request) return null;
  const operation = await findPendingOperation(db, { sessionId: row.sessionId, stepId: row.id, after });
  if (operation) return operationNeed(operation);
  if (live && !live.inputRequest) return null;
  const route = await routes.find(row.sessionId);
  if (route?.epoch !== row.epoch) return null;
  const call = {
    method: 'GET',
    path: `/v1/steps/${row.id}/stdin`,
    schema: inputWaitSchema,
    answerBytesMax,
    timeoutMs,
  } as const;
  try {
    return needOf((await agents.call(route, call)).request);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // If the agent gives no answer, the request in the frames counts as open.
    return error.kind === 'refused' || !live?.inputRequest ? null : needOf(requestIn(live.inputRequest));
  }
}

const operationNeed = ({ id, stepId, name, arguments: args }: PendingOperation): Outcome => ({
  tag: 'needs',
  what: 'operation',
  operationId: id,
  stepId,
  name,
  arguments: JSON.parse(args),
});

type InputRequest = ReturnType<typeof eventContent.input_request.parse>;

const needOf = (request: InputRequest | null): Outcome | null => request && { tag: 'needs', what: 'stdin', ...request };

function requestIn(bytes: Buffer): InputRequest | null {
  const frame = frameAt(bytes, 0);
  return frame && eventContent.input_request.parse(JSON.parse(frame.payload.toString()));
}
