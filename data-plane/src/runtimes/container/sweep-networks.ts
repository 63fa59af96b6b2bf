import type { Engine } from './engine/engine.ts';
import type { EngineContainer } from './engine/engine-container.ts';
import { networkName, ownLabels } from './engine/labels.ts';

/** Longer than a launch needs from the creation of its network to that of its container. */
const youngMs = 120_000;

/** Removes our networks without a container among `containers`. A data-plane that was killed may leave such networks. */
export async function sweepNetworks(
  { engine, now = Date.now }: { engine: Pick<Engine, 'listNetworks' | 'removeNetwork'>; now?: () => number },
  containers: readonly EngineContainer[],
): Promise<void> {
  const used = new Set(containers.map(({ labels }) => labels[ownLabels.uid]));
  const unused = (await engine.listNetworks()).filter(
    ({ uid, createdAt }) => !used.has(uid) && now() - createdAt.getTime() > youngMs,
  );
  for (const { uid } of unused) await engine.removeNetwork(networkName(uid));
}
