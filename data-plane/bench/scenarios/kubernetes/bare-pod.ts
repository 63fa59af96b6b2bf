import type { KubernetesApi } from './kubernetes-api.ts';

export type Pod = {
  metadata: { name: string };
  spec: Record<string, unknown>;
  status: { conditions?: { type: string; status: string }[] };
};

/**
 * Creates pods like the given sandbox in another namespace, without Holdfast. They run the same image with the same limits and have no probe,
 * so a pod is Ready as soon as the kubelet reports that its container runs.
 */
export function barePod(api: KubernetesApi, { namespace, sandbox }: { namespace: string; sandbox: Pod }) {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const { nodeName: _, ...spec } = sandbox.spec;
  let count = 0;
  return {
    /** Milliseconds from the creation to Ready. The pod is deleted again before this resolves. */
    async createToReady(): Promise<number> {
      const name = `bare-${process.pid}-${count++}`;
      const watching = new AbortController();
      const changes = api.watch<Pod>(`${pods}?watch=true&fieldSelector=metadata.name=${name}`, watching.signal);
      const start = performance.now();
      // A watch only answers with the first change, so the watch and the creation are sent together.
      const [, readyAt] = await Promise.all([
        api.call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }),
        readyTime(changes),
      ]).finally(() => watching.abort());
      await api.call('DELETE', `${pods}/${name}?gracePeriodSeconds=1`);
      return readyAt - start;
    },
    /** The number of pods in that namespace. */
    count: async () => (await api.call<{ items: Pod[] }>('GET', pods)).items.length,
  };
}

async function readyTime(changes: AsyncGenerator<Pod>): Promise<number> {
  for await (const { status } of changes) {
    if (status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return performance.now();
  }
  throw new Error('the watch ended before the pod was ready');
}
