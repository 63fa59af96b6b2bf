import type { Engine } from './engine.ts';
import { containerName, ownLabels } from './labels.ts';
import type { SeenContainer } from './seen-container.ts';

export type FindDependencies = { engine: Pick<Engine, 'inspectContainer'>; deployment: string };

/** The container of a sandbox's name, whosever it is; null where there is none. @throws EngineError */
export async function findContainer(
  { engine, deployment }: FindDependencies,
  name: string,
): Promise<SeenContainer | null> {
  const wanted = containerName(deployment, name);
  const seen = await engine.inspectContainer(wanted);
  // An engine also finds by the beginning of an id.
  return seen?.name === wanted ? seen : null;
}

/** Whether it is a sandbox of this deployment, and not somebody's container under such a name. Pure. */
export const isOurs = (deployment: string, { labels }: Pick<SeenContainer, 'labels'>) =>
  labels[ownLabels.deployment] === deployment && labels[ownLabels.uid] !== undefined;
