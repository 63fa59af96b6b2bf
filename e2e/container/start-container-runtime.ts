import { randomBytes } from 'node:crypto';
import { createLogger } from '../../data-plane/src/observability/logger.ts';
import { parseContainerProfiles } from '../../data-plane/src/runtimes/container/container-profile.ts';
import {
  type ContainerRuntimeOptions,
  createContainerRuntime,
} from '../../data-plane/src/runtimes/container/create-container-runtime.ts';
import { containerName } from '../../data-plane/src/runtimes/container/engine/labels.ts';
import { parseSubnet } from '../../data-plane/src/runtimes/container/engine/subnets.ts';
import type { Sandbox } from '../../data-plane/src/runtimes/runtime.ts';
import { sandboxName } from '../../data-plane/src/sessions/sandbox-name.ts';
import { newId } from '../../specs/src/public/values/ids.ts';
import { agentImage } from './import-agent-image.ts';
import type { Podman } from './start-podman.ts';

export const newSandboxName = () => sandboxName(newId('ses'), 1);

type Options = Partial<Omit<ContainerRuntimeOptions, 'profiles'>> & { profile?: object };

/** Starts a container runtime for a deployment of its own on a Podman. Agents do not authenticate callers. */
export async function startContainerRuntime(
  { socketPath, podman }: Pick<Podman, 'socketPath' | 'podman'>,
  { profile, ...options }: Options = {},
) {
  const deployment = options.deployment ?? `test-${randomBytes(6).toString('hex')}`;
  const log: string[] = [];
  const fixture = { name: 'fixture', image: agentImage, languages: ['node'], imagePullPolicy: 'Never' };
  const { runtime, close } = await createContainerRuntime({
    engine: { socketPath },
    deployment,
    database: 'db-1',
    subnet: parseSubnet('10.213.0.0/16') as NonNullable<ReturnType<typeof parseSubnet>>,
    internet: false,
    uidRange: { first: 1_000_000, last: 2_000_000_000 },
    agentEnv: { HOLDFAST_ENV: 'development', HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' },
    unboundSeconds: 600,
    profiles: parseContainerProfiles(JSON.stringify({ profiles: [{ ...fixture, ...profile }] })),
    log: createLogger({ level: 'info' }, { write: (line) => log.push(line) }),
    ...options,
  });
  return {
    runtime,
    deployment,
    /** The runtime's log lines. */
    log,
    launch: (name = newSandboxName(), network: 'none' | 'internet' = 'none') =>
      runtime.launch({ name, profile: 'fixture', network }, AbortSignal.timeout(20_000)),
    containerOf: ({ name }: Pick<Sandbox, 'name'>) => containerName(deployment, name),
    /** The containers and networks of this incarnation. */
    remains: (uid: string): string[] => {
      const label = `label=holdfast.dev/uid=${uid}`;
      const containers = podman('ps', '--all', '--quiet', '--filter', label);
      const networks = podman('network', 'ls', '--quiet', '--filter', label);
      return [...containers.split('\n'), ...networks.split('\n')].filter(Boolean);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all((await runtime.list().catch(() => [])).map((sandbox) => runtime.destroy(sandbox)));
      await close();
    },
  };
}
