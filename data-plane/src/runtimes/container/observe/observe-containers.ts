import type { Sandbox } from '../../runtime.ts';
import type { Engine } from '../engine/engine.ts';
import { isOurs } from '../engine/labels.ts';
import { type ExplainDependencies, explainContainer } from './explain-container.ts';
import { findContainer } from './find-container.ts';
import { sandboxFromContainer } from './sandbox-from-container.ts';

/** The sandbox with that name, or null if no container of ours has it. @throws EngineError */
export async function inspectSandbox(deps: ExplainDependencies, name: string): Promise<Sandbox | null> {
  const seen = await findContainer(deps, name);
  if (!seen || !isOurs(deps.owner, seen.labels)) return null;
  const sandbox = sandboxFromContainer(seen);
  return sandbox.phase === 'ended' ? { ...sandbox, cause: await explainContainer(deps, sandbox) } : sandbox;
}

/** All our sandboxes. @throws EngineError if the list would not be complete */
export async function listSandboxes({ engine }: { engine: Pick<Engine, 'listContainers'> }): Promise<Sandbox[]> {
  return (await engine.listContainers()).map(sandboxFromContainer);
}
