import { newId } from '@holdfast/specs/public';
import type { Leftovers } from '../leftovers.ts';
import { type Sandbox, SandboxError, type SandboxKey, type SandboxSpec } from '../runtime.ts';
import { type ContainerSettings, containerOptions } from './container-options.ts';
import type { ContainerProfile } from './container-profile.ts';
import type { Engine } from './engine/engine.ts';
import { type EngineContainer, hasEnded } from './engine/engine-container.ts';
import { EngineError } from './engine/engine-error.ts';
import { isOurs, networkName, ownLabels } from './engine/labels.ts';
import { block, blockCount, type Subnet } from './engine/subnets.ts';
import { type ExplainDependencies, explainContainer } from './observe/explain-container.ts';
import { findContainer } from './observe/find-container.ts';
import { sandboxFromContainer } from './observe/sandbox-from-container.ts';

export type LaunchDependencies = ExplainDependencies & {
  engine: Engine;
  leftovers: Pick<Leftovers<SandboxKey>, 'remove' | 'cancelRemoval'>;
  settings: ContainerSettings & { subnet: Subnet };
};

type Launch = { spec: SandboxSpec; profile: ContainerProfile; signal: AbortSignal };

/**
 * Creates and starts the container, or finds the one with its name. A launch that fails leaves no container, or one that is removed once the
 * engine can be reached again.
 * @throws EngineError, SandboxError, or `signal`'s reason
 */
export async function launchContainer(deps: LaunchDependencies, { spec, profile, signal }: Launch): Promise<Sandbox> {
  signal.throwIfAborted();
  const { name } = spec;
  await deps.leftovers.cancelRemoval(name);
  let uid = newId('uid');
  try {
    await ensureImage(deps, { profile, signal });
    const found = await createOrFind(deps, { spec, profile, uid, signal });
    uid = found.labels[ownLabels.uid] ?? uid;
    signal.throwIfAborted();
    const started = await start(deps, found);
    signal.throwIfAborted();
    return started;
  } catch (error) {
    await deps.leftovers.remove({ name, uid });
    throw signal.aborted ? signal.reason : error;
  }
}

async function ensureImage({ engine }: LaunchDependencies, { profile, signal }: Omit<Launch, 'spec'>): Promise<void> {
  const { image, imagePullPolicy } = profile;
  if (await engine.hasImage(image)) return;
  if (imagePullPolicy === 'Never') throw new EngineError('no-image', `image ${image} is not on this machine`);
  await engine.pullImage(image, signal);
}

/**
 * A creation is never abandoned half-way, because the engine might still finish it. If its answer was lost, or another replica was faster,
 * the name is taken and the container is found.
 */
async function createOrFind(deps: LaunchDependencies, launch: Launch & { uid: string }): Promise<EngineContainer> {
  const { spec, profile, uid, signal } = launch;
  for (;;) {
    signal.throwIfAborted();
    const found = await findContainer(deps, spec.name);
    if (found) return await usable(deps, found);
    await createNetwork(deps, launch);
    try {
      await deps.engine.createContainer(containerOptions(deps.settings, { spec, profile, uid }));
    } catch (error) {
      await deps.engine.removeNetwork(networkName(uid)).catch(() => {});
      if (!(error instanceof EngineError) || error.kind !== 'name-taken') throw error;
    }
  }
}

async function usable(deps: LaunchDependencies, found: EngineContainer): Promise<EngineContainer> {
  if (!isOurs(deps.owner, found.labels))
    throw new SandboxError('sandbox_start_failed', `container ${found.name} belongs to another deployment or database`);
  if (!hasEnded(found.status)) return found;
  const { name, uid } = sandboxFromContainer(found);
  const { message } = await explainContainer(deps, { name, uid });
  throw new SandboxError('sandbox_start_failed', `container ${found.name} has already ended: ${message}`);
}

const subnetTries = 32;

/** Replicas and other programs on this machine choose at the same time. If a subnet is taken, the next one is tried. */
async function createNetwork({ engine, settings }: LaunchDependencies, { spec, uid }: Launch & { uid: string }) {
  const firstIndex = Math.floor(Math.random() * blockCount(settings.subnet));
  for (let tries = 1; ; tries += 1) {
    try {
      const place = block(settings.subnet, firstIndex + tries);
      return await engine.createNetwork({ ...place, uid, network: spec.network });
    } catch (error) {
      const isTaken = error instanceof EngineError && error.kind === 'subnet-taken';
      if (!isTaken || tries >= Math.min(subnetTries, blockCount(settings.subnet))) throw error;
    }
  }
}

async function start(deps: LaunchDependencies, { id, name }: EngineContainer): Promise<Sandbox> {
  await deps.engine.startContainer(id);
  const seen = await deps.engine.inspectContainer(id);
  if (!seen) throw new SandboxError('deleted_by_operator', `container ${name} was removed while it started`);
  const sandbox = sandboxFromContainer(seen);
  if (sandbox.phase === 'running') return sandbox;
  const { reason, message } = await explainContainer(deps, sandbox);
  throw new SandboxError(reason, message);
}
