import { interruptedSchema } from '@holdfast/specs/agent';
import type { Interrupt } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { isHeldByAnother } from '../registry/steps/held-by-another.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import { actorOf, type Caller } from '../sessions/caller.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { getStep } from './get-step.ts';
import type { LiveStepLog } from './live-step.ts';
import type { StepAnswer } from './step-from-row.ts';

type InterruptDependencies = {
  db: Database;
  reads: LargeReads;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve' | 'find'>;
  liveSteps: ReadonlyMap<string, LiveStepLog>;
  hint(sessionId: string): void;
};

/**
 * Asks a queued or running step to stop. Does nothing if the step has ended. Returns the step as it was just before.
 * @throws Problem 404, 410, 502, 503
 */
export async function interruptStep(
  deps: InterruptDependencies,
  { by = {}, ...key }: { caller: Caller; sessionId: string; stepId: string; by?: Interrupt },
): Promise<StepAnswer> {
  const { stepId } = key;
  const step = await getStep(deps, key);
  if (step.finishedAt) return step;
  const route = await deps.routes.resolve({ sessionId: key.sessionId, tenant: key.caller.tenant });
  // Before its effect: if the registry is away, the step goes on, and an interrupt that does not arrive was asked for all the same.
  const entry = entryOf({ ...key.caller, ...actorOf(key.caller, by) }, key.sessionId, { operation: 'step.interrupt' });
  await recordAudit(deps.db, { ...entry, stepId });
  try {
    await interruptAtAgent(deps, route, stepId);
  } catch (error) {
    if (!(error instanceof AgentError) || error.slug !== 'not-found') {
      throw agentProblem(deps, { sessionId: key.sessionId, error });
    }
    // The step is still on its way to the agent, so the interrupt follows as soon as it has begun there.
    const live = deps.liveSteps.get(stepId);
    live?.begun.then(() => interruptAtAgent(deps, route, stepId)).catch(() => {});
  }
  return step;
}

/** Interrupts a step whose requester has left, unless another replica follows the step by now: others may wait for it there. */
export async function interruptOwnStep(
  deps: Pick<InterruptDependencies, 'agents' | 'db'> & { replicaId: string },
  { route, stepId }: { route: Route; stepId: string },
): Promise<void> {
  const isElsewhere = isHeldByAnother(deps.db, { stepId, replicaId: deps.replicaId });
  if (!(await isElsewhere.catch(() => false))) await interruptAtAgent(deps, route, stepId);
}

function interruptAtAgent({ agents }: Pick<InterruptDependencies, 'agents'>, route: Route, stepId: string) {
  return agents.call(route, { method: 'POST', path: `/v1/steps/${stepId}/interrupt`, schema: interruptedSchema });
}
