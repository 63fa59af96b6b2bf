import { readFile } from 'node:fs/promises';
import { type Config, ConfigError } from '../config/parse-config.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Logger } from '../observability/logger.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { agentEnvironment } from './agent-environment.ts';
import { startProcessRuntime } from './start-process-runtime.ts';

export type RuntimeInput = {
  config: Config;
  /** The identity of the database. */
  database: string;
  /** null: agent authentication is bypassed. */
  signing: SigningKeys | null;
  /** The session-agent's program and what it inherits; only the process runtime uses them. */
  agentMain: string;
  path: string;
  home: string;
  /** JUPYTER_PATH: folders with further Jupyter kernels. */
  jupyterPath: string;
  registries: Readonly<Record<string, string>>;
  log: Logger;
  progress: (message: string) => void;
};

/**
 * Starts the configured runtime.
 * @throws ConfigError if it cannot do what is configured
 */
export async function startRuntime(input: RuntimeInput): Promise<{ runtime: Runtime; close: () => Promise<void> }> {
  if (input.config.runtime === 'kubernetes') return await startKubernetesRuntime(input);
  if (input.config.runtime === 'container') return await startContainerRuntime(input);
  return await startProcessRuntime(input);
}

/** No session lives longer than a week. A sandbox ends at most a day after its session, even without a control plane. */
const sessionSecondsMax = 604_800;
const spareSeconds = 86_400;

async function startKubernetesRuntime({ config, database, signing, log }: RuntimeInput) {
  // Its client costs half a second and 70 MB, so only this runtime loads it.
  const { createKubernetesRuntime } = await import('../runtimes/kubernetes/create-kubernetes-runtime.ts');
  const { parsePodProfiles } = await import('../runtimes/kubernetes/pod/pod-profile.ts');
  const { namespace, profilesFile, uidRange, warmSeconds } = config.kubernetes;
  const profiles = await readProfiles(profilesFile ?? '', parsePodProfiles);
  return await createKubernetesRuntime({
    deployment: config.deployment,
    database,
    namespace,
    profiles,
    uidRange,
    agentEnv: agentEnvironment(config, signing),
    activeDeadlineSeconds: sessionSecondsMax + warmSeconds + spareSeconds,
    unboundSeconds: warmSeconds,
    log,
  });
}

async function startContainerRuntime({ config, database, signing, log }: RuntimeInput) {
  // Its client costs a fifth of a second and 30 MB.
  const { createContainerRuntime } = await import('../runtimes/container/create-container-runtime.ts');
  const { defaultProfiles, parseContainerProfiles } = await import('../runtimes/container/container-profile.ts');
  const { engine, subnet, internet, profilesFile } = config.container;
  const { uidRange, warmSeconds } = config.kubernetes;
  return await createContainerRuntime({
    deployment: config.deployment,
    database,
    engine,
    subnet,
    internet,
    profiles: profilesFile ? await readProfiles(profilesFile, parseContainerProfiles) : defaultProfiles(),
    uidRange,
    agentEnv: agentEnvironment(config, signing),
    unboundSeconds: warmSeconds,
    log,
  }).catch((error) => {
    throw new ConfigError([`no engine answers at DOCKER_SOCKET_PATH or DOCKER_HOST: ${error.message}`]);
  });
}

/** @throws ConfigError */
async function readProfiles<T>(path: string, parse: (json: string) => T): Promise<T> {
  return await readFile(path, 'utf8')
    .then(parse)
    .catch((error) => {
      throw new ConfigError([`HOLDFAST_PROFILES_FILE ${error.message}`]);
    });
}
