import { setTimeout as delay } from 'node:timers/promises';
import { agentStepsSchema } from '@holdfast/specs/agent';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { deleteSession } from '../registry/sessions/delete-session.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { markSandboxGone } from '../registry/sessions/mark-sandbox-gone.ts';
import { findClaimedSandbox } from '../registry/warm-sandboxes/find-claimed-sandbox.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { singleFlight } from '../timing/single-flight.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import { giveUp } from './claim-sandbox.ts';
import { type FenceDependencies, fence } from './fence.ts';
import { sandboxName } from './sandbox-name.ts';
import type { Route, Routes } from './sandbox-routes.ts';

export type StartUnderWay = {
  /** Resolves when the start has ended in any way. */
  ended: Promise<unknown>;
  /** Has it end soon: nobody waits for the sandbox any more. */
  stop(): void;
};

export type RemoveDependencies = FenceDependencies & {
  db: Database;
  routes: Pick<Routes, 'find'>;
  runtime: Pick<Runtime, 'inspect' | 'destroy'>;
  agents: Pick<AgentClient, 'call' | 'disconnect'>;
  acknowledgements: Pick<Acknowledgements, 'send' | 'forget'>;
  /** Starts that are under way on this replica, by session id. */
  starting: Map<string, StartUnderWay>;
  /** Removals that are under way on this replica, by sandbox: its name where it is a session's, else its uid. */
  removing: Map<string, Promise<void>>;
};

type Ended = { id: string; epoch: number };

/**
 * Fences and removes the sandbox of a session that has ended and records that it is gone; may be repeated. Of a session that is
 * being deleted the row goes too.
 */
export async function removeSandbox(deps: RemoveDependencies, { id, epoch }: Ended): Promise<void> {
  await singleFlight(deps.removing, sandboxName(id, epoch), () => remove(deps, { id, epoch }));
  if ((await findSession(deps.db, { id }))?.deleteRequestedAt) await deleteSession(deps.db, { id });
}

async function remove(deps: RemoveDependencies, { id, epoch }: Ended): Promise<void> {
  const starting = deps.starting.get(id);
  starting?.stop();
  await starting?.ended;
  await fence(deps, { id });
  const route = await deps.routes.find(id);
  if (route) {
    await endsRecorded(deps, route);
    await deps.runtime.destroy({ name: route.sandboxName, uid: route.sandboxUid });
    deps.agents.disconnect(route.sandboxUid);
    deps.acknowledgements.forget(route.sandboxUid);
  }
  const claimed = await findClaimedSandbox(deps.db, { sessionId: id });
  if (claimed) await giveUp(deps, claimed);
  // A sandbox that was launched and never bound is known by its name alone.
  const unbound = await deps.runtime.inspect(sandboxName(id, epoch));
  if (unbound) await deps.runtime.destroy(unbound);
  await markSandboxGone(deps.db, { id, epoch });
}

const recordedWithinMs = 2000;

/** The fenced agent still holds how its last steps ended; whoever follows them gets a moment to record that. */
async function endsRecorded({ agents, acknowledgements }: RemoveDependencies, route: Route): Promise<void> {
  const deadline = Date.now() + recordedWithinMs;
  while (Date.now() < deadline) {
    await acknowledgements.send(route.sandboxUid);
    const held = await agents
      .call(route, { method: 'GET', path: '/v1/steps', schema: agentStepsSchema, timeoutMs: 1000 })
      .catch(() => null);
    if (!held || held.steps.length === 0) return;
    await delay(20);
  }
}
