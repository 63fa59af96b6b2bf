import { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from '../../observability/logger.ts';
import { createLeftovers } from '../leftovers.ts';
import { type Capabilities, type Runtime, SandboxError, type SandboxSpec } from '../runtime.ts';
import { warmPoolsFromProfiles } from '../warm-pools-from-profiles.ts';
import { sandboxError } from './api/api-error.ts';
import { createConnection } from './api/connection.ts';
import { listPods } from './api/list-pods.ts';
import { createPodApi } from './api/pod-api.ts';
import { watchPods } from './api/watch-pods.ts';
import { checkProfiles } from './check-profiles.ts';
import { destroyLeftover, destroyPod, type Leftover } from './destroy-pod.ts';
import { launchPod } from './launch-pod.ts';
import { explainPod } from './observe/explain-pod.ts';
import { type FollowTimes, followPods } from './observe/follow-pods.ts';
import { inspectPod, listSandboxes } from './observe/observe-pods.ts';
import { createPodCache } from './observe/pod-cache.ts';
import { type ManifestSettings, podManifest } from './pod/pod-manifest.ts';
import type { PodProfile } from './pod/pod-profile.ts';

export type KubernetesRuntimeOptions = ManifestSettings & {
  profiles: readonly PodProfile[];
  log: Logger;
  /** By default that of `$KUBECONFIG`, of the home directory, or of the pod in which we run. */
  kubeConfig?: KubeConfig;
  followTimes?: FollowTimes;
};

const networks = ['none', 'internet'] as const;
const destroyWithinMs = 30_000;

/**
 * Runs every sandbox as a pod of one namespace.
 * @throws Error if the cluster cannot be reached or refuses the pods of a profile
 */
export async function createKubernetesRuntime(
  options: KubernetesRuntimeOptions,
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const { deployment, database, namespace, profiles, log } = options;
  const owner = { deployment, database };
  const connection = createConnection(options.kubeConfig ?? defaultKubeConfig());
  const closing = new AbortController();
  const api = createPodApi(connection, { namespace, owner });
  const podCache = createPodCache();
  const deps = { api, podCache, closing: closing.signal, owner, log };
  const leftovers = createLeftovers<Leftover>({ ...deps, destroy: (leftover) => destroyLeftover(deps, leftover) });

  try {
    await checkProfiles(deps, { settings: options, profiles, networks });
  } catch (cause) {
    await connection.close();
    throw new Error(`Kubernetes at ${connection.server}, namespace ${namespace}: ${(cause as Error).message}`, {
      cause,
    });
  }
  const follower = followPods(
    {
      list: (within) => listPods(deps, within),
      watch: (watch) => watchPods(connection, { ...watch, namespace, owner }),
      podCache,
      onList: leftovers.retry,
      log,
    },
    options.followTimes,
  );

  const capabilities: Capabilities = {
    networks,
    profiles: profiles.map(({ name, languages, workspacePath }) => ({ name, languages, workspacePath })),
    warmPools: warmPoolsFromProfiles({ profiles, networks }, (spec, profile) =>
      podManifest(options, { spec, profile }),
    ),
    sandboxesEndWithDataPlane: false,
  };

  const runtime: Runtime = {
    name: 'kubernetes',
    capabilities,

    launch: (spec, signal) =>
      translated(() => launchPod({ ...deps, leftovers }, { manifest: manifestOf(spec), signal })),

    inspect: (name) => translated(() => inspectPod(deps, name)),

    list: () => translated(() => listSandboxes(deps)),

    destroy: ({ name, uid }) =>
      translated(async () => {
        if (await destroyPod(deps, { name, uid, withinMs: destroyWithinMs })) return;
        const message = `pod ${name} is still ending ${destroyWithinMs / 1000} s after its deletion`;
        throw new SandboxError('runtime_unavailable', message, { retryAfterSeconds: 10 });
      }),

    explain: (key) => translated(() => explainPod(deps, key)),

    onEnded: podCache.onEnded,
  };

  return {
    runtime,
    async close() {
      closing.abort();
      await follower.close();
      await connection.close();
    },
  };

  function manifestOf(spec: SandboxSpec) {
    const profile = profiles.find(({ name }) => name === spec.profile);
    if (!profile) throw new SandboxError('sandbox_start_failed', `there is no profile ${JSON.stringify(spec.profile)}`);
    return podManifest(options, { spec, profile });
  }
}

function defaultKubeConfig(): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  return kubeConfig;
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sandboxError(error);
  }
}
