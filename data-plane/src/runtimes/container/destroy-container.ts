import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxKey } from '../runtime.ts';
import type { Engine } from './engine/engine.ts';
import { EngineError } from './engine/engine-error.ts';
import { isOurs, networkName, ownLabels } from './engine/labels.ts';
import type { ContainerExits } from './observe/container-exits.ts';
import { type FindDependencies, findContainer } from './observe/find-container.ts';

export type DestroyDependencies = FindDependencies & {
  engine: Pick<Engine, 'removeContainer' | 'removeNetwork'>;
  exits: Pick<ContainerExits, 'expectEnd'>;
};

const pollMs = 100;

/**
 * Kills this incarnation with all its processes, and removes it and its network. The next sweep removes a network that is still in use.
 * @throws EngineError with the engine's last message if the container may still run after `withinMs`
 */
export async function destroyContainer(
  deps: DestroyDependencies,
  { name, uid, withinMs }: SandboxKey & { withinMs: number },
): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (let removed = false; ; await delay(pollMs)) {
    const seen = await findContainer(deps, name);
    if (!seen || !isOurs(deps.owner, seen.labels) || seen.labels[ownLabels.uid] !== uid) {
      if (removed) await deps.engine.removeNetwork(networkName(uid)).catch(unlessInUse);
      return;
    }
    deps.exits.expectEnd(uid);
    removed = true;
    await deps.engine.removeContainer(seen.id).catch((error) => unlessInTime(error, deadline));
  }
}

/** The engine refuses for a moment while the container is being started or is already being removed. */
function unlessInTime(error: unknown, deadline: number): void {
  if (!(error instanceof EngineError) || error.kind !== 'refused' || Date.now() > deadline) throw error;
}

function unlessInUse(error: unknown): void {
  if (!(error instanceof EngineError) || error.kind !== 'refused') throw error;
}
