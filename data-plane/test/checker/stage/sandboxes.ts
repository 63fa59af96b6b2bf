import { readFile } from 'node:fs/promises';
import { runAgent, type Start, type StartContainer } from '../../fake-kubernetes/kubelet/start-container.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../../fake-kubernetes/start-fake-kubernetes.ts';
import { processesBySandbox } from './processes.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';

/** A sandbox that was ever started, found by the uid of its pod. */
export type StagedSandbox = { uid: string; workspace: string; proxy: Promise<TcpProxy> };

export type Sandboxes = Awaited<ReturnType<typeof startSandboxes>>;

const proxyPort = 8700;
const agentPort = 8701;

/** The cluster of all deployments: real agents, each behind a proxy at the address of its pod. */
export async function startSandboxes() {
  const started = new Map<string, StagedSandbox>();
  const fake: FakeKubernetes = await startFakeKubernetes({ startContainer: behindProxy(started) });

  const podOf = (uid: string) => fake.pods.all().find(({ metadata }) => metadata.uid === uid);
  return {
    fake,
    started: started as ReadonlyMap<string, StagedSandbox>,
    podOf,
    /** The sandboxes whose pods run now. */
    running: () =>
      [...started.values()].filter(({ uid }) => {
        const pod = podOf(uid);
        return pod?.status.phase === 'Running' && !pod.metadata.deletionTimestamp;
      }),
    /** The process of the agent, or null if it is gone. */
    async agentOf(uid: string): Promise<number | null> {
      return (await processesBySandbox()).get(uid)?.[0]?.pid ?? null;
    },
    close: () => fake.close(),
  };
}

function behindProxy(started: Map<string, StagedSandbox>): StartContainer {
  return (start: Start) => {
    const { uid, env } = start;
    const host = env.HOLDFAST_AGENT_HOST ?? '';
    const proxy = startProxy({ host, port: agentPort }, { host, port: proxyPort });
    started.set(uid, { uid, workspace: env.HOLDFAST_WORKSPACE ?? '', proxy });
    const container = runAgent({ ...start, env: { ...env, HOLDFAST_AGENT_PORT: String(agentPort) } });
    const exited = container.exited.finally(async () => (await proxy).close());
    return { ...container, exited };
  };
}

/** The session whose sandbox this is: the uid of a pod is in no public answer, but its name comes from the session's id. */
export const sessionOfPod = (name: string): string => name.replace(/-\d+$/, '').replace('-', '_');
export const epochOfPod = (name: string): number => Number(/-(\d+)$/.exec(name)?.[1]);

/** The lines of a file that may not exist yet. */
export const linesOf = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
