import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxCause, SandboxKey } from '../../runtime.ts';
import { type EngineContainer, hasEnded } from '../engine/engine-container.ts';
import { ownLabels } from '../engine/labels.ts';
import { containerCause } from './container-cause.ts';
import type { ContainerExits } from './container-exits.ts';
import { type FindDependencies, findContainer } from './find-container.ts';

export type ExplainDependencies = FindDependencies & { exits: Pick<ContainerExits, 'find'> };

/** Time for an operator's command to finish after it has ended a container, and for the event of that to arrive. */
const newsMs = 500;

/**
 * Why this incarnation has ended or is gone. The first observation decides: a container that ended by itself may be removed afterwards.
 * @throws EngineError if the engine does not answer
 */
export async function explainContainer(deps: ExplainDependencies, key: SandboxKey): Promise<SandboxCause> {
  let seen = await find(deps, key);
  if (seen && hasJustEnded(seen)) {
    await delay(newsMs);
    seen = await find(deps, key);
  }
  if (seen && !hasEnded(seen.status))
    return { reason: 'sandbox_lost', message: 'the engine shows the container as running' };
  const known = deps.exits.find(key.uid);
  return containerCause({
    end: seen?.end ?? known.end,
    killed: known.killed,
    removedAt: seen ? null : (known.removedAt ?? new Date()),
  });
}

async function find(deps: ExplainDependencies, { name, uid }: SandboxKey): Promise<EngineContainer | null> {
  const seen = await findContainer(deps, name);
  return seen?.labels[ownLabels.uid] === uid ? seen : null;
}

const hasJustEnded = ({ end }: EngineContainer) => end !== null && Date.now() - end.finishedAt.getTime() < newsMs;
