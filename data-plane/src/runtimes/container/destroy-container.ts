import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxKey } from '../runtime.ts';
import type { Engine } from './engine/engine.ts';
import { EngineError } from './engine/engine-error.ts';
import { networkName, ownLabels } from './engine/labels.ts';
import type { ContainerExits } from './observe/container-exits.ts';
import { findContainer, isOurs } from './observe/find-container.ts';

export type DestroyDependencies = {
  engine: Pick<Engine, 'inspectContainer' | 'removeContainer' | 'removeNetwork'>;
  exits: Pick<ContainerExits, 'expectEnd'>;
  deployment: string;
};

const pollMs = 100;

/**
 * ContainerExits this incarnation with all its processes, by force, and removes it and its network. A network that is still held goes with the
 * next sweep.
 * @throws EngineError where it may still run after `withinMs`, with the engine's last words
 */
export async function destroyContainer(
  deps: DestroyDependencies,
  { name, uid, withinMs }: SandboxKey & { withinMs: number },
): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (let removed = false; ; await delay(pollMs)) {
    const seen = await findContainer(deps, name);
    if (!seen || !isOurs(deps.deployment, seen) || seen.labels[ownLabels.uid] !== uid) {
      if (removed) await deps.engine.removeNetwork(networkName(uid)).catch(unlessHeld);
      return;
    }
    deps.exits.expectEnd(uid);
    removed = true;
    await deps.engine.removeContainer(seen.id).catch((error) => unlessInTime(error, deadline));
  }
}

/** One that is being removed already, or is just being started, refuses for a moment. */
function unlessInTime(error: unknown, deadline: number): void {
  if (!(error instanceof EngineError) || error.kind !== 'refused' || Date.now() > deadline) throw error;
}

function unlessHeld(error: unknown): void {
  if (!(error instanceof EngineError) || error.kind !== 'refused') throw error;
}
