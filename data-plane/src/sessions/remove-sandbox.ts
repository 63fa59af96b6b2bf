import { setTimeout as delay } from 'node:timers/promises';
import { agentStepsSchema, listedStepSchema, listedStepsMax } from '@holdfast/specs/agent';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { hasRunningProcess } from '../registry/processes/has-running-process.ts';
import { listSandboxesLeft } from '../registry/sandboxes/list-sandboxes-left.ts';
import { deleteSession } from '../registry/sessions/delete-session.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { markSandboxGone } from '../registry/sessions/mark-sandbox-gone.ts';
import { findClaimedSandbox } from '../registry/warm-sandboxes/find-claimed-sandbox.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { singleFlight } from '../timing/single-flight.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import { type FenceDependencies, fence } from './fence.ts';
import { sandboxName } from './sandbox-name.ts';
import type { Route, Routes } from './sandbox-routes.ts';
import { destroyClaimedSandbox } from './start/assign-claimed-sandbox.ts';

export type StartUnderWay = {
  /** Resolves when the start has ended in any way. */
  ended: Promise<unknown>;
  /** Makes the start end soon: the sandbox is not needed any more. */
  stop(): void;
};

export type RemoveDependencies = FenceDependencies & {
  db: Database;
  routes: Pick<Routes, 'find'>;
  runtime: Pick<Runtime, 'inspect' | 'destroy'>;
  agents: Pick<AgentClient, 'call' | 'disconnect'>;
  acknowledgements: Pick<Acknowledgements, 'send' | 'drop'>;
  processAcknowledgements: Pick<Acknowledgements, 'drop'>;
  /** Starts that are under way on this replica, by the name of the session's sandbox. */
  starting: Map<string, StartUnderWay>;
  /** Removals that are under way on this replica, by the name of a session's sandbox, or by the uid of any other sandbox. */
  removing: Map<string, Promise<void>>;
};

type Ended = { id: string; epoch: number };

/**
 * Fences and removes the sandboxes of an ended session, that of this epoch and all that are left of earlier ones, and records that they
 * are gone. If the client has deleted the session, its row goes as well. May be repeated.
 */
export async function removeSandbox(deps: RemoveDependencies, { id, epoch }: Ended): Promise<void> {
  const all = await listSandboxesLeft(deps.db, { sessionId: id });
  // A later epoch has a sandbox of its own, which may be in use.
  const left = all.filter((sandbox) => sandbox.epoch <= epoch);
  const isLeft = left.some((sandbox) => sandbox.epoch === epoch);
  await Promise.all(
    (isLeft ? left : [...left, { epoch, name: sandboxName(id, epoch), uid: null }]).map((sandbox) =>
      singleFlight(deps.removing, sandboxName(id, sandbox.epoch), () => remove(deps, { id, ...sandbox })),
    ),
  );
  if ((await findSession(deps.db, { id }))?.deleteRequestedAt) await deleteSession(deps.db, { id });
}

type Left = Ended & {
  /** Name and uid of a sandbox that was bound. The route has those of the session's own epoch. */
  name: string;
  uid: string | null;
};

async function remove(deps: RemoveDependencies, { id, epoch, name, uid }: Left): Promise<void> {
  const starting = deps.starting.get(sandboxName(id, epoch));
  starting?.stop();
  await starting?.ended;
  await fence(deps, { id, epoch });
  const route = await deps.routes.find(id);
  if (route?.epoch === epoch) {
    await waitForRecords(deps, route);
    await deps.runtime.destroy({ name: route.sandboxName, uid: route.sandboxUid });
    deps.agents.disconnect(route.sandboxUid);
    deps.acknowledgements.drop(route.sandboxUid);
    deps.processAcknowledgements.drop(route.sandboxUid);
  } else if (uid !== null) await deps.runtime.destroy({ name, uid });
  const claimed = await findClaimedSandbox(deps.db, { sessionId: id, epoch });
  if (claimed) await destroyClaimedSandbox(deps, claimed);
  // A sandbox that was launched and never bound is found by its name.
  const unbound = await deps.runtime.inspect(sandboxName(id, epoch));
  if (unbound) await deps.runtime.destroy(unbound);
  await markSandboxGone(deps.db, { id, epoch });
}

const recordedWithinMs = 2000;

const list = { key: 'steps', item: listedStepSchema, itemsMax: listedStepsMax };
const heldAnswer = { schema: agentStepsSchema, list, answerBytesMax: 2 ** 20 };

/** The fenced agent still holds the results of its last steps and processes. The replicas that follow those get a moment to record them. */
async function waitForRecords({ db, agents, acknowledgements }: RemoveDependencies, route: Route): Promise<void> {
  const deadline = Date.now() + recordedWithinMs;
  while (Date.now() < deadline && (await hasRunningProcess(db, route))) await delay(20);
  while (Date.now() < deadline) {
    await acknowledgements.send(route.sandboxUid);
    const held = await agents
      .call(route, { method: 'GET', path: '/v1/steps', ...heldAnswer, timeoutMs: 1000 })
      .catch(() => null);
    if (!held || held.steps.length === 0) return;
    await delay(20);
  }
}
