import { kubectlJson } from './kubectl.ts';
import { holdfastNamespace, sandboxNamespace } from './namespaces.ts';

export type Pod = {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    labels: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: Record<string, unknown> & { nodeName?: string; containers: PodContainer[] };
  status: { phase: string; podIP?: string; hostIP?: string; containerStatuses?: ContainerStatus[] };
};

export type PodContainer = Record<string, unknown> & {
  name: string;
  image: string;
  env?: { name: string; value?: string }[];
};

type ContainerStatus = {
  ready: boolean;
  restartCount: number;
  containerID?: string;
  state: { terminated?: { exitCode: number; reason?: string } };
};

/** All pods of sandboxes, including those that are being deleted. */
export const sandboxPods = () => podsBy(sandboxNamespace, 'app.kubernetes.io/name=holdfast-sandbox');

/**
 * The pods of sandboxes without those that are deleted and have ended. Such a pod counts in no ResourceQuota, and the kubelet removes its
 * object up to a minute later.
 */
export const livingPods = async () =>
  (await sandboxPods()).filter(
    ({ metadata, status }) => !metadata.deletionTimestamp || !['Succeeded', 'Failed'].includes(status.phase),
  );

/** The pods of the data-plane that accept requests. */
export const replicaPods = async () => (await componentPods('data-plane')).filter(isReady);

export async function postgresPod(): Promise<Pod> {
  const [pod] = (await componentPods('postgres')).filter(isReady);
  if (!pod) throw new Error('Postgres has no pod that is ready');
  return pod;
}

export const pod = (namespace: string, name: string) => kubectlJson<Pod>(['-n', namespace, 'get', 'pod', name]);

export const restartsOf = (one: Pod) => one.status.containerStatuses?.[0]?.restartCount ?? 0;

const componentPods = (component: string) =>
  podsBy(holdfastNamespace, `app.kubernetes.io/name=holdfast,app.kubernetes.io/component=${component}`);

const isReady = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp === undefined &&
  (status.containerStatuses ?? []).every(({ ready }) => ready) &&
  !!status.podIP;

async function podsBy(namespace: string, selector: string): Promise<Pod[]> {
  return (await kubectlJson<{ items: Pod[] }>(['-n', namespace, 'get', 'pods', '-l', selector])).items;
}
