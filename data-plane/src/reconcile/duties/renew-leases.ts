import { agentStepsSchema, listedStepSchema, listedStepsMax } from '@holdfast/specs/agent';
import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { listBoundRoutes } from '../../registry/routes/list-bound-routes.ts';
import { touchRoute } from '../../registry/routes/touch-route.ts';
import { listEndedSteps } from '../../registry/steps/list-ended-steps.ts';
import type { Acknowledgements } from '../../sessions/acknowledgements.ts';
import type { Routes } from '../../sessions/sandbox-routes.ts';
import { severalAtOnce } from '../../timing/several-at-once.ts';

type LeaseDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'find'>;
  acknowledgements: Pick<Acknowledgements, 'add'>;
  log: Pick<Logger, 'error'>;
  hint(sessionId: string): void;
};

const atOnce = 16;

/**
 * Renews the lease of every bound agent, and hints at the session of an agent that does not answer. Acknowledges the results that an
 * agent still holds although they are recorded: a replica may have died between the two. A failure for one session does not prevent
 * the renewals of the others.
 */
export async function renewLeases(deps: LeaseDependencies): Promise<void> {
  const faults: unknown[] = [];
  await severalAtOnce({ items: await listBoundRoutes(deps.db), atOnce }, async ({ sessionId }) => {
    try {
      await renew(deps, sessionId);
    } catch (error) {
      if (error instanceof AgentError) deps.hint(sessionId);
      else faults.push(error);
    }
  });
  if (faults.length > 0) deps.log.error({ count: faults.length, err: faults[0] }, 'leases could not be renewed');
}

async function renew({ db, agents, routes, acknowledgements }: LeaseDependencies, sessionId: string): Promise<void> {
  const route = await routes.find(sessionId);
  if (route?.status !== 'active') return;
  const list = { key: 'steps', item: listedStepSchema, itemsMax: listedStepsMax };
  const answer = { schema: agentStepsSchema, list, answerBytesMax: 2 ** 20 };
  const call = { method: 'GET', path: '/v1/steps', ...answer, timeoutMs: 5000 } as const;
  const { steps } = await agents.call(route, call);
  await touchRoute(db, route);
  const finished = steps.filter((step) => step.state === 'finished').map((step) => step.stepId);
  acknowledgements.add(route, ...(await listEndedSteps(db, { sessionId, stepIds: finished })));
}
