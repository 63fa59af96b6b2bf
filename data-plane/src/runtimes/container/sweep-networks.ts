import type { Engine } from './engine/engine.ts';
import type { EngineContainer } from './engine/engine-container.ts';
import { networkName, ownLabels } from './engine/labels.ts';

/** Longer than a launch needs between its network and its container. */
const youngMs = 120_000;

/** Removes the networks of this deployment whose container is not among `containers`, such as a data-plane that was killed leaves. */
export async function sweepNetworks(
  { engine, now = Date.now }: { engine: Pick<Engine, 'listNetworks' | 'removeNetwork'>; now?: () => number },
  containers: readonly EngineContainer[],
): Promise<void> {
  const used = new Set(containers.map(({ labels }) => labels[ownLabels.uid]));
  const forsaken = (await engine.listNetworks()).filter(
    ({ uid, createdAt }) => !used.has(uid) && now() - createdAt.getTime() > youngMs,
  );
  for (const { uid } of forsaken) await engine.removeNetwork(networkName(uid));
}
