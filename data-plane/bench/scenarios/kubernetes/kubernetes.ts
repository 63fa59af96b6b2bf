import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installHoldfast } from '../../../../e2e/cluster/install-holdfast.ts';
import { lockCluster } from '../../../../e2e/cluster/lock-cluster.ts';
import { metric } from '../../../../e2e/cluster/metric.ts';
import { sandboxNamespace, testNamespace } from '../../../../e2e/cluster/namespaces.ts';
import { uninstallHoldfast } from '../../../../e2e/cluster/uninstall-holdfast.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Measured, runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Scenario } from '../scenario.ts';
import { barePod, type Pod } from './bare-pod.ts';
import { connectKubernetesApi } from './kubernetes-api.ts';

/** Each round claims one sandbox, which is replaced before the next round. */
const warm = 2;

/**
 * The creation of a session on the cluster that KUBECONFIG names, beside its minimum: a bare pod with the same image, from its creation to
 * Ready. Installs Holdfast as the end-to-end tests do, and removes it. Each part of a round waits until the cluster is idle.
 */
export const kubernetes: Scenario = {
  name: 'kubernetes',
  async run(stage, plan) {
    if (!(await hasCluster())) {
      stage.note('Kubernetes is not measured: KUBECONFIG names no cluster that answers. deploy/kind/up creates one.');
      return;
    }
    const { release } = await lockCluster();
    stage.defer(release);
    stage.defer(uninstallHoldfast);
    await measureCluster(stage, plan);
  },
};

async function hasCluster(): Promise<boolean> {
  if (!process.env.KUBECONFIG) return false;
  const asked = promisify(execFile)('kubectl', ['get', '--raw', '/readyz', '--request-timeout=5s']);
  return await asked.then(
    () => true,
    () => false,
  );
}

async function measureCluster(stage: Stage, plan: Plan): Promise<void> {
  const holdfast = await installHoldfast({ warm });
  stage.defer(holdfast.close);
  const replicas = await holdfast.replicas();
  const api = await connectKubernetesApi();
  stage.defer(api.close);
  const pods = async () =>
    (await api.call<{ items: Pod[] }>('GET', `/api/v1/namespaces/${sandboxNamespace}/pods`)).items;

  /** Waits until the pool is full and there are no other sandboxes. */
  const untilIdle = () =>
    eventually(async () => {
      const { length } = await pods();
      const ready = await metric(replicas.slice(0, 1), 'holdfast_warm_sandboxes', { state: 'ready' });
      if (length !== warm || ready !== warm) throw new Error(`${ready} of ${length} sandboxes are ready`);
    }, 120_000);

  /** From the request to the answer, over an open connection. The session is deleted again. */
  async function createTo201(wish: object): Promise<Measured[]> {
    await untilIdle();
    await holdfast.request('GET', '/readyz');
    const start = performance.now();
    const { id } = await holdfast.createSession(wish);
    const value = performance.now() - start;
    await holdfast.request('DELETE', `/v1/sessions/${id}`);
    return [{ metric: 'latency', value, unit: 'ms' }];
  }

  await untilIdle();
  const [sandbox] = await pods();
  if (!sandbox) throw new Error('there is no warm sandbox');
  const bare = barePod(api, { namespace: testNamespace, sandbox });
  async function bareToReady(): Promise<Measured[]> {
    await untilIdle();
    const value = await bare.createToReady();
    await eventually(async () => {
      if ((await bare.count()) > 0) throw new Error('the bare pod is still there');
    }, 60_000);
    return [{ metric: 'latency', value, unit: 'ms' }];
  }

  const cases = [
    { case: 'cold session', wish: { network: 'internet' } },
    { case: 'warm claim', wish: {} },
  ];
  for (const { wish, ...one } of cases) {
    await runRounds(stage, {
      scenario: 'kubernetes',
      ...one,
      rounds: roundsOf(plan, { smoke: 2, full: 12 }),
      warmUp: amount(plan, { smoke: 0, full: 1 }),
      contestants: [
        // The pool has no sandbox with the network class `internet`.
        { peer: product, measure: () => createTo201(wish) },
        { peer: 'bare pod', measure: bareToReady },
      ],
    });
  }
}
