import { frameAt, inputWaitSchema } from '@holdfast/specs/agent';
import { eventContent, type Outcome } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import type { LiveStep } from './live-step.ts';
import type { RecordedStep } from './step-from-row.ts';

export type NeedDependencies = { agents: Pick<AgentClient, 'call'>; routes: Pick<Routes, 'find'> };

/** A caller waits for this answer. */
const timeoutMs = 2000;

/**
 * What a step that has not ended needs now, null where it needs nothing. Its agent is asked: a request that was answered, perhaps
 * through another replica, looks in the frames like one that was not. Where a replica follows the step and its frames ask for
 * nothing, nobody is asked.
 */
export async function askWhatStepNeeds(
  { agents, routes }: NeedDependencies,
  { row, live }: { row: RecordedStep; live: Pick<LiveStep, 'inputRequest'> | undefined },
): Promise<Outcome | null> {
  if (live && !live.inputRequest) return null;
  const route = await routes.find(row.sessionId);
  if (route?.epoch !== row.epoch) return null;
  const call = { method: 'GET', path: `/v1/steps/${row.id}/stdin`, schema: inputWaitSchema, timeoutMs } as const;
  try {
    return needOf((await agents.call(route, call)).request);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // An agent that cannot be asked has not said that its request was answered.
    return error.kind === 'refused' || !live?.inputRequest ? null : needOf(requestIn(live.inputRequest));
  }
}

type InputRequest = ReturnType<typeof eventContent.input_request.parse>;

const needOf = (request: InputRequest | null): Outcome | null => request && { tag: 'needs', what: 'stdin', ...request };

function requestIn(bytes: Buffer): InputRequest | null {
  const frame = frameAt(bytes, 0);
  return frame && eventContent.input_request.parse(JSON.parse(frame.payload.toString()));
}
