import { Problem } from '@holdfast/specs/public';
import type { Logger } from '../../observability/logger.ts';
import { type Capabilities, type Runtime, SandboxError, type SandboxSpec } from '../runtime.ts';
import { createEnds } from './container-exits.ts';
import type { ContainerSettings } from './container-options.ts';
import type { ContainerProfile } from './container-profile.ts';
import { createEngine } from './engine.ts';
import type { EngineAddress } from './engine-address.ts';
import { sandboxError } from './engine-error.ts';
import { explainContainer } from './explain-container.ts';
import { type FollowTimes, followEngine } from './follow-engine.ts';
import { launchContainer } from './launch-container.ts';
import { createLeftovers } from './leftovers.ts';
import { inspectSandbox, listSandboxes } from './observe-containers.ts';
import { removeContainer } from './remove-container.ts';
import type { Subnet } from './subnets.ts';
import { sweepNetworks } from './sweep-networks.ts';
import { warmPools } from './warm-pools.ts';

export type ContainerRuntimeOptions = ContainerSettings & {
  engine: EngineAddress;
  /** Each sandbox's network is cut out of it. */
  subnet: Subnet;
  /** Whether a session may ask for the network that this machine has. */
  internet: boolean;
  profiles: readonly ContainerProfile[];
  log: Pick<Logger, 'info' | 'warn'>;
  followTimes?: FollowTimes;
};

const removeWithinMs = 30_000;

/**
 * Runs every sandbox as a container of Docker or Podman on this machine.
 * @throws EngineError where no engine answers
 */
export async function createContainerRuntime(
  options: ContainerRuntimeOptions,
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const { deployment, profiles, log } = options;
  const engine = createEngine(options.engine, { deployment });
  const ends = createEnds();
  const deps = { engine, ends, deployment, log };
  const leftovers = createLeftovers(deps);

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
    profiles: profiles.map(({ name, languages }) => ({ name, languages })),
    warmPools: warmPools(options, { profiles, networks }),
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

    destroy: (key) => translated(() => removeContainer(deps, { ...key, withinMs: removeWithinMs })),

    explain: (key) => translated(() => explainContainer(deps, key)),

    onEnded: ends.onEnded,
  };
  return { runtime, close: follower.close };

  function refuseOtherNetworks({ network }: SandboxSpec): void {
    if (networks.some((offered) => offered === network)) return;
    const detail = `network "${network}" is not offered here: HOLDFAST_CONTAINER_INTERNET=true would`;
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
