import type { KubernetesApi } from './kubernetes-api.ts';

export type Pod = {
  metadata: { name: string };
  spec: Record<string, unknown>;
  status: { conditions?: { type: string; status: string }[] };
};

/**
 * A pod that nobody waits for but us: made like the sandbox that is given, in another namespace. It runs the same image
 * with the same limits and has no probe, so that it is Ready as soon as the kubelet says that its container runs.
 */
export function barePod(api: KubernetesApi, { namespace, sandbox }: { namespace: string; sandbox: Pod }) {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const { nodeName: _, ...spec } = sandbox.spec;
  let count = 0;
  return {
    /** Milliseconds from the creation to Ready; it is gone again when this resolves. */
    async createToReady(): Promise<number> {
      const name = `bare-${process.pid}-${count++}`;
      const watching = new AbortController();
      const changes = api.watch<Pod>(`${pods}?watch=true&fieldSelector=metadata.name=${name}`, watching.signal);
      const start = performance.now();
      // The first answer of a watch is the first change, so it is asked for together with the creation.
      const [, readyAt] = await Promise.all([
        api.call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }),
        readyTime(changes),
      ]).finally(() => watching.abort());
      await api.call('DELETE', `${pods}/${name}?gracePeriodSeconds=1`);
      return readyAt - start;
    },
    /** How many of them are still there. */
    count: async () => (await api.call<{ items: Pod[] }>('GET', pods)).items.length,
  };
}

async function readyTime(changes: AsyncGenerator<Pod>): Promise<number> {
  for await (const { status } of changes) {
    if (status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return performance.now();
  }
  throw new Error('the watch ended before the pod was ready');
}
