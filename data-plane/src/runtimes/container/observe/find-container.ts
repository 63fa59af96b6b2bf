import type { Owner } from '../../runtime.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineContainer } from '../engine/engine-container.ts';
import { containerName } from '../engine/labels.ts';

export type FindDependencies = { engine: Pick<Engine, 'inspectContainer'>; owner: Owner };

/** The container with a sandbox's name, of any owner, or null if there is none. @throws EngineError */
export async function findContainer(
  { engine, owner }: FindDependencies,
  name: string,
): Promise<EngineContainer | null> {
  const wanted = containerName(owner.deployment, name);
  const seen = await engine.inspectContainer(wanted);
  // An engine also accepts the beginning of an id.
  return seen?.name === wanted ? seen : null;
}
