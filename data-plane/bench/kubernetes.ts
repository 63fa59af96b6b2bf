/**
 * Compares the creation of a session on the cluster that KUBECONFIG names with its minimum: a bare pod with the same image, from its creation
 * to Ready. Every round times a warm claim, a cold creation and a bare pod one after the other on an idle cluster, so that changes in the
 * machine's speed affect all three. Installs Holdfast as the end-to-end tests do, and removes it.
 */
import { loadavg } from 'node:os';
import { installHoldfast } from '../../e2e/cluster/install-holdfast.ts';
import { lockCluster } from '../../e2e/cluster/lock-cluster.ts';
import { metric } from '../../e2e/cluster/metric.ts';
import { sandboxNamespace, testNamespace } from '../../e2e/cluster/namespaces.ts';
import { uninstallHoldfast } from '../../e2e/cluster/uninstall-holdfast.ts';
import { eventually } from '../test/support/eventually.ts';
import { barePod, type Pod } from './bare-pod.ts';
import { connectKubernetesApi, type KubernetesApi } from './kubernetes-api.ts';
import { quantile } from './quantile.ts';

const rounds = 12;
/** Each round claims one sandbox, which is replaced before the next round. */
const warm = 2;

const { release } = await lockCluster();
const holdfast = await installHoldfast({ warm });
const replicas = await holdfast.replicas();
const api = await connectKubernetesApi();
try {
  console.log(`machine  ${await describeNode(api)}`);
  console.log(
    `\nms: p50 (p10 to p90) of ${rounds} rounds; the time that a creation adds is the median of the rounds' differences\n`,
  );
  for (const line of report(await measure())) console.log(line);
} finally {
  await api.close();
  await holdfast.close();
  await uninstallHoldfast();
  await release();
}
process.exit();

type Round = { claimMs: number; coldMs: number; bareMs: number };

async function measure(): Promise<Round[]> {
  await untilIdle();
  const [sandbox] = await sandboxes();
  if (!sandbox) throw new Error('there is no warm sandbox');
  const bare = barePod(api, { namespace: testNamespace, sandbox });
  const measured: Round[] = [];
  for (let round = -1; round < rounds; round++) {
    const claimMs = await createTo201({});
    await untilIdle();
    // The pool has no sandbox with this network class.
    const coldMs = await createTo201({ network: 'internet' });
    await untilIdle();
    const bareMs = await bare.createToReady();
    await eventually(async () => {
      if ((await bare.count()) > 0) throw new Error('the bare pod is still there');
    }, 60_000);
    if (round >= 0) measured.push({ claimMs, coldMs, bareMs });
  }
  return measured;
}

/** Milliseconds from the request to the answer, over an open connection. The session is deleted again. */
async function createTo201(wish: object): Promise<number> {
  await holdfast.request('GET', '/readyz');
  const start = performance.now();
  const { id } = await holdfast.createSession(wish);
  const ms = performance.now() - start;
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
  return ms;
}

/** Waits until the pool is full and there are no other sandboxes. */
async function untilIdle(): Promise<void> {
  await eventually(async () => {
    const pods = await sandboxes();
    const ready = await metric(replicas.slice(0, 1), 'holdfast_warm_sandboxes', { state: 'ready' });
    if (pods.length !== warm || ready !== warm) throw new Error(`${ready} of ${pods.length} sandboxes are ready`);
  }, 120_000);
}

async function sandboxes(): Promise<Pod[]> {
  return (await api.call<{ items: Pod[] }>('GET', `/api/v1/namespaces/${sandboxNamespace}/pods`)).items;
}

function report(measured: Round[]): string[] {
  const [claim, cold, bare] = (['claimMs', 'coldMs', 'bareMs'] as const).map((name) =>
    measured.map((round) => round[name]),
  );
  const added = measured.map(({ coldMs, bareMs }) => coldMs - bareMs);
  const ratio = measured.map(({ coldMs, bareMs }) => coldMs / bareMs);
  return [
    `bare pod, create to Ready    ${spread(bare)}`,
    `cold session, create to 201  ${spread(cold)}`,
    `warm claim, create to 201    ${spread(claim)}`,
    `a cold session adds          ${spread(added)}`,
    `cold session / bare pod      ${spread(ratio, 2)}`,
  ];
}

function spread(values: readonly number[] = [], digits = 1): string {
  const [p10, p50, p90] = [0.1, 0.5, 0.9].map((q) => quantile(values, q).toFixed(digits));
  return `${p50} (${p10} to ${p90})`;
}

async function describeNode(kubernetes: KubernetesApi): Promise<string> {
  type Nodes = {
    items: { status: { capacity: { cpu: string; memory: string }; nodeInfo: { kubeletVersion: string } } }[];
  };
  const { items } = await kubernetes.call<Nodes>('GET', '/api/v1/nodes');
  const nodes = items.map(
    ({ status }) => `${status.capacity.cpu} cpu, ${status.capacity.memory}, kubelet ${status.nodeInfo.kubeletVersion}`,
  );
  return `${nodes.join('; ')}; load here ${loadavg()[0]?.toFixed(2)}`;
}
