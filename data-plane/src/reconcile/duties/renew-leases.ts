import { setTimeout as delay } from 'node:timers/promises';
import { agentStepsSchema, listedStepSchema, listedStepsMax } from '@holdfast/specs/agent';
import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { listEndedProcesses } from '../../registry/processes/list-ended-processes.ts';
import { listBoundRoutes } from '../../registry/routes/list-bound-routes.ts';
import { touchRoute } from '../../registry/routes/touch-route.ts';
import { listEndedSteps } from '../../registry/steps/list-ended-steps.ts';
import type { Acknowledgements } from '../../sessions/acknowledgements.ts';
import type { Routes } from '../../sessions/sandbox-routes.ts';
import { hasSandbox } from '../../sessions/status.ts';
import { createBackOff } from '../../timing/back-off.ts';
import { severalAtOnce } from '../../timing/several-at-once.ts';

type LeaseDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'find'>;
  acknowledgements: Pick<Acknowledgements, 'add'>;
  processAcknowledgements: Pick<Acknowledgements, 'add'>;
  log: Pick<Logger, 'error'>;
  hint(sessionId: string): void;
  leaseSeconds: number;
};

/** The sandboxes that did not answer this replica the last time, by their uid. */
export type Unreachable = Map<string, ReturnType<typeof createBackOff>>;

const atOnce = 16;

/** An agent that takes longer than this gives its place to the next one; its own call goes on beside it. */
const patienceMs = 300;
const callMs = 2000;

/**
 * Renews the lease of every bound agent, and hints at the session of an agent that does not answer. Acknowledges the results that an
 * agent still holds although they are recorded: a replica may have died between the two.
 *
 * No agent makes another wait for longer than `patienceMs`, and those that did not answer the last time come last, and only once
 * their delay is over. So every agent that answers is called in every period, however many do not.
 */
export async function renewLeases(deps: LeaseDependencies, unreachable: Unreachable = new Map()): Promise<void> {
  const bound = await listBoundRoutes(deps.db);
  const uids = new Set(bound.map(({ sandboxUid }) => sandboxUid));
  for (const uid of unreachable.keys()) if (!uids.has(uid)) unreachable.delete(uid);
  const now = performance.now();
  const answering = bound.filter(({ sandboxUid }) => !unreachable.has(sandboxUid));
  const dueAgain = bound.filter(({ sandboxUid }) => unreachable.get(sandboxUid)?.waits(now) === false);
  const faults: unknown[] = [];
  const underWay: Promise<void>[] = [];
  await severalAtOnce({ items: [...answering, ...dueAgain], atOnce }, async (route) => {
    const renewal = renewOne(deps, { ...route, unreachable }).catch((error) => void faults.push(error));
    underWay.push(renewal);
    await Promise.race([renewal, delay(patienceMs, undefined, { ref: false })]);
  });
  await Promise.all(underWay);
  if (faults.length > 0) deps.log.error({ count: faults.length, err: faults[0] }, 'leases could not be renewed');
}

type Lease = { sessionId: string; sandboxUid: string; unreachable: Unreachable };

async function renewOne(deps: LeaseDependencies, { sessionId, sandboxUid, unreachable }: Lease): Promise<void> {
  try {
    await renew(deps, sessionId);
    unreachable.delete(sandboxUid);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    deps.hint(sessionId);
    // At most half a lease passes without a try, so that an agent that can be reached again in time keeps its lease.
    const limits = { firstMs: deps.leaseSeconds * 250, maxMs: deps.leaseSeconds * 500 };
    const backOff = unreachable.get(sandboxUid) ?? createBackOff(limits);
    backOff.failed(performance.now());
    unreachable.set(sandboxUid, backOff);
  }
}

async function renew(deps: LeaseDependencies, sessionId: string): Promise<void> {
  const { db, agents, routes, acknowledgements, processAcknowledgements, leaseSeconds } = deps;
  const route = await routes.find(sessionId);
  if (!route || !hasSandbox(route.status)) return;
  const list = { key: 'steps', item: listedStepSchema, itemsMax: listedStepsMax };
  const answer = { schema: agentStepsSchema, list, answerBytesMax: 2 ** 20 };
  const call = { method: 'GET', path: '/v1/steps', ...answer, timeoutMs: callMs, withSteps: 'if-idle' } as const;
  const { steps } = await agents.call(route, call);
  await touchRoute(db, route);
  const finished = steps.filter((step) => step.state === 'finished').map((step) => step.stepId);
  acknowledgements.add(route, ...(await listEndedSteps(db, { sessionId, stepIds: finished })));
  const { epoch } = route;
  processAcknowledgements.add(
    route,
    ...(await listEndedProcesses(db, { sessionId, epoch, withinSeconds: leaseSeconds })),
  );
}
