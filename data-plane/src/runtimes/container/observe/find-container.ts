import type { Engine } from '../engine/engine.ts';
import type { EngineContainer } from '../engine/engine-container.ts';
import { containerName, ownLabels } from '../engine/labels.ts';

export type FindDependencies = { engine: Pick<Engine, 'inspectContainer'>; deployment: string };

/** The container with a sandbox's name, of any owner, or null if there is none. @throws EngineError */
export async function findContainer(
  { engine, deployment }: FindDependencies,
  name: string,
): Promise<EngineContainer | null> {
  const wanted = containerName(deployment, name);
  const seen = await engine.inspectContainer(wanted);
  // An engine also accepts the beginning of an id.
  return seen?.name === wanted ? seen : null;
}

/** Whether a container is a sandbox of this deployment, and not another container under such a name. Pure. */
export const isOurs = (deployment: string, { labels }: Pick<EngineContainer, 'labels'>) =>
  labels[ownLabels.deployment] === deployment && labels[ownLabels.uid] !== undefined;
