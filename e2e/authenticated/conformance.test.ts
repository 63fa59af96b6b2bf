import { afterAll, beforeAll, expect } from 'vitest';
import { createLogger } from '../../data-plane/src/observability/logger.ts';
import { createKubernetesRuntime } from '../../data-plane/src/runtimes/kubernetes/create-kubernetes-runtime.ts';
import { parsePodProfiles } from '../../data-plane/src/runtimes/kubernetes/pod/pod-profile.ts';
import { type Runtime, type Sandbox, SandboxError, type SandboxKey } from '../../data-plane/src/runtimes/runtime.ts';
import { runtimeConformance } from '../../data-plane/test/support/runtime-conformance.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { sandboxNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import { pod } from '../cluster/pods.ts';
import { smallProfiles } from '../cluster/small-profiles.ts';

let node: NodeShell;
let profiles: string;
beforeAll(async () => {
  await (await installHoldfast()).close();
  node = await startNodeShell();
  profiles = JSON.stringify(await smallProfiles(0));
});
afterAll(() => node.remove());

/** Uses a second deployment in the same namespace. Neither deployment sees the other's pods. */
runtimeConformance('kubernetes', async () => {
  const options = {
    deployment: 'conformance',
    database: 'db-1',
    namespace: sandboxNamespace,
    uidRange: { first: 1_000_000, last: 2_000_000_000 },
    agentEnv: { HOLDFAST_ENV: 'development', HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true' },
    activeDeadlineSeconds: 600,
    unboundSeconds: 600,
    profiles: parsePodProfiles(profiles),
    log: createLogger({ level: 'warn' }),
  };
  const { runtime, close } = await createKubernetesRuntime(options);
  const closings = [close];
  return {
    runtime: { ...runtime, destroy: (sandbox) => destroyed(runtime, sandbox) },
    async ofAnotherDatabase() {
      const another = await createKubernetesRuntime({ ...options, database: 'db-2' });
      closings.push(another.close);
      return another.runtime;
    },
    answers: answersThroughApiServer,
    abortedEndsWithinMs: 90_000,
    crash: async ({ name }) => node.killIn(await pod(sandboxNamespace, name), 'agent.mjs'),
    // The object may outlive its processes by a minute.
    remains: async (uid) => {
      const count = await node.countStartedWith(`HOLDFAST_SANDBOX_UID=${uid}`);
      return count > 0 ? [`${count} processes`] : [];
    },
    dispose: async () => void (await Promise.all(closings.map((one) => one()))),
  };
});

/** Repeats a destruction that the cluster has not confirmed in time, as the reconciler does. Some kubelets report an end a minute late. */
async function destroyed(runtime: Pick<Runtime, 'destroy'>, sandbox: SandboxKey): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runtime.destroy(sandbox);
    } catch (error) {
      const isLate = error instanceof SandboxError && error.retryAfterSeconds !== undefined;
      if (!isLate || tries === 3) throw error;
    }
  }
}

/** Calls the agent through the API server, because pod addresses are not reachable from everywhere. */
async function answersThroughApiServer({ name, endpoint }: Sandbox): Promise<void> {
  const { status } = await pod(sandboxNamespace, name);
  expect(endpoint).toBe(`http://${status.podIP}:8700`);
  await kubectl(['get', '--raw', `/api/v1/namespaces/${sandboxNamespace}/pods/${name}:8700/proxy/healthz`]);
}
