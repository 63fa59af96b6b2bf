import { newId } from '@holdfast/specs/public';
import { KubeConfig } from '@kubernetes/client-node';
import { createLogger, type Logger } from '../../src/observability/logger.ts';
import {
  createKubernetesRuntime,
  type KubernetesRuntimeOptions,
} from '../../src/runtimes/kubernetes/create-kubernetes-runtime.ts';
import { parsePodProfiles } from '../../src/runtimes/kubernetes/pod/pod-profile.ts';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';

export const profiles = { profiles: [{ name: 'python', image: 'holdfast/python:1', languages: ['python'] }] };

type Options = Partial<Omit<KubernetesRuntimeOptions, 'profiles'>> & { profileList?: object };

/** A kubernetes runtime whose cluster is the fake; agents are without authentication. */
export async function startKubernetesRuntime(
  fakeOptions: Parameters<typeof startFakeKubernetes>[0] = {},
  options: Options = {},
) {
  const fake = await startFakeKubernetes(fakeOptions);
  const log: string[] = [];
  const made = await runtimeOf(fake, {
    log: createLogger({ level: 'info' }, { write: (line) => log.push(line) }),
    ...options,
  }).catch(async (error) => {
    await fake.close();
    throw error;
  });
  const others: { close(): Promise<void> }[] = [];
  return {
    fake,
    runtime: made.runtime,
    /** A runtime on the same cluster, closed with this one. */
    async another(differs: Options) {
      const other = await runtimeOf(fake, { log: createLogger({ level: 'silent' }), ...options, ...differs });
      others.push(other);
      return other.runtime;
    },
    /** The lines of the runtime's log. */
    log,
    launch: (name = newSandboxName(), signal = AbortSignal.timeout(20_000)) =>
      made.runtime.launch({ name, profile: 'python', network: 'none' }, signal),
    async [Symbol.asyncDispose]() {
      for (const { close } of [made, ...others]) await close();
      await fake.close();
    },
  };
}

export const newSandboxName = () => sandboxName(newId('ses'), 1);

async function runtimeOf(fake: FakeKubernetes, { profileList = profiles, ...options }: Options & { log: Logger }) {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(fake.kubeconfig);
  return await createKubernetesRuntime({
    deployment: 'test',
    database: 'db-1',
    namespace: fake.namespace,
    uidRange: { first: 100_000, last: 200_000 },
    agentEnv: { HOLDFAST_ENV: 'development', HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' },
    activeDeadlineSeconds: 3600,
    unboundSeconds: 600,
    profiles: parsePodProfiles(JSON.stringify(profileList)),
    kubeConfig,
    ...options,
  });
}
