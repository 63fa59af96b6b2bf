import { Problem } from '@holdfast/specs/public';
import type { Logger } from '../../observability/logger.ts';
import { createLeftovers } from '../leftovers.ts';
import { type Capabilities, type Runtime, SandboxError, type SandboxKey, type SandboxSpec } from '../runtime.ts';
import { warmPoolsFromProfiles } from '../warm-pools-from-profiles.ts';
import { type ContainerSettings, containerOptions } from './container-options.ts';
import type { ContainerProfile } from './container-profile.ts';
import { destroyContainer } from './destroy-container.ts';
import { createEngine } from './engine/engine.ts';
import type { EngineAddress } from './engine/engine-address.ts';
import { sandboxError } from './engine/engine-error.ts';
import type { Subnet } from './engine/subnets.ts';
import { launchContainer } from './launch-container.ts';
import { createContainerExits } from './observe/container-exits.ts';
import { explainContainer } from './observe/explain-container.ts';
import { type FollowTimes, followEngine } from './observe/follow-engine.ts';
import { inspectSandbox, listSandboxes } from './observe/observe-containers.ts';
import { sweepNetworks } from './sweep-networks.ts';

export type ContainerRuntimeOptions = ContainerSettings & {
  engine: EngineAddress;
  /** The range that is divided into one network per sandbox. */
  subnet: Subnet;
  /** Whether a session may ask for the network class `internet`. */
  internet: boolean;
  profiles: readonly ContainerProfile[];
  log: Pick<Logger, 'info' | 'warn'>;
  followTimes?: FollowTimes;
};

const destroyWithinMs = 30_000;
/** The caller of a failed launch waits no longer than this. */
const removeLeftoverWithinMs = 5000;

/**
 * Runs every sandbox as a container of Docker or Podman on this machine.
 * @throws EngineError if no engine answers
 */
export async function createContainerRuntime(
  options: ContainerRuntimeOptions,
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const { deployment, database, profiles, log } = options;
  const owner = { deployment, database };
  const engine = createEngine(options.engine, owner);
  const exits = createContainerExits();
  const deps = { engine, exits, owner, log };
  const leftovers = createLeftovers<SandboxKey>({
    destroy: (key) => destroyContainer(deps, { ...key, withinMs: removeLeftoverWithinMs }),
    log,
  });

  log.info({ engine: await engine.version() }, 'the container engine answers');
  for (const { name, image } of profiles) {
    if (!(await engine.hasImage(image))) log.warn({ profile: name, image }, 'an image is not on this machine yet');
  }

  const follower = followEngine(
    {
      ...deps,
      onList(containers) {
        leftovers.retry();
        sweepNetworks(deps, containers).catch((err) => log.warn({ err }, 'networks could not be swept'));
      },
    },
    options.followTimes,
  );

  const networks = options.internet ? (['none', 'internet'] as const) : (['none'] as const);
  const capabilities: Capabilities = {
    networks,
    profiles: profiles.map(({ name, languages, workspacePath }) => ({ name, languages, workspacePath })),
    warmPools: warmPoolsFromProfiles({ profiles, networks }, (spec, profile) =>
      containerOptions(options, { spec, profile, uid: 'template' }),
    ),
    sandboxesEndWithDataPlane: false,
  };

  const runtime: Runtime = {
    name: 'container',
    capabilities,

    async launch(spec, signal) {
      refuseOtherNetworks(spec);
      const profile = profileOf(spec);
      return await translated(() =>
        launchContainer({ ...deps, leftovers, settings: options }, { spec, profile, signal }),
      );
    },

    inspect: (name) => translated(() => inspectSandbox(deps, name)),

    list: () => translated(() => listSandboxes(deps)),

    destroy: (key) => translated(() => destroyContainer(deps, { ...key, withinMs: destroyWithinMs })),

    explain: (key) => translated(() => explainContainer(deps, key)),

    onEnded: exits.onEnded,
  };
  return { runtime, close: follower.close };

  function refuseOtherNetworks({ network }: SandboxSpec): void {
    if (networks.some((offered) => offered === network)) return;
    const detail = `network "${network}" is not offered here; HOLDFAST_CONTAINER_INTERNET=true offers it`;
    throw new Problem('unsupported-by-runtime', { detail });
  }

  function profileOf(spec: SandboxSpec): ContainerProfile {
    const profile = profiles.find(({ name }) => name === spec.profile);
    if (profile) return profile;
    throw new SandboxError('sandbox_start_failed', `there is no profile ${JSON.stringify(spec.profile)}`);
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sandboxError(error);
  }
}
