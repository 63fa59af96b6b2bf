import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFaults } from './faults.ts';
import { createAddresses } from './kubelet/addresses.ts';
import { createGate } from './kubelet/gate.ts';
import { startKubelet } from './kubelet/kubelet.ts';
import { runAgent, type StartContainer } from './kubelet/start-container.ts';
import { takeLoopbackBlock } from './loopback-block.ts';
import { createOperator } from './operator.ts';
import { createAnswer } from './server/answer-request.ts';
import { startApiServer } from './server/api-server.ts';
import { selfSignedCertificate } from './server/certificate.ts';
import { createCollection } from './server/collection.ts';
import type { Admission } from './server/create-pod.ts';
import type { Pod, PodEvent } from './server/objects.ts';
import { createWatches } from './server/watch-objects.ts';

type Options = Partial<{
  namespace: string;
  /** The number of loopback addresses that the pods share, at most 250, and which free address is next. */
  addresses: number;
  reuse: 'last' | 'oldest';
  /** Starts the container of a pod, by default a real session-agent. */
  startContainer: StartContainer;
  scheduleMs: number;
  bookmarkMs: number;
  admission: Partial<Admission>;
}>;

export type FakeKubernetes = Awaited<ReturnType<typeof startFakeKubernetes>>;

const token = 'fake-token';
const serverNumber = 253;

/** A Kubernetes API server over TLS for one namespace of pods and events, with a kubelet that runs their containers on loopback. */
export async function startFakeKubernetes(options: Options = {}) {
  const { namespace = 'holdfast-sandboxes', addresses: count = 250, reuse = 'oldest', bookmarkMs = 1000 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-fake-kubernetes-'));
  const block = await takeLoopbackBlock();
  const tls = selfSignedCertificate(block.address(serverNumber));
  const versions = { latest: 1 };
  const pods = createCollection<Pod>(versions);
  const events = createCollection<PodEvent>(versions);
  const faults = createFaults();
  const watches = createWatches({ faults, bookmarkMs });
  const scheduling = createGate();
  const imagePulls = createGate();
  const reports = createGate();
  const addresses = createAddresses(
    Array.from({ length: count }, (_, index) => block.address(index + 1)),
    { reuse },
  );
  const kubelet = startKubelet({
    ...{ pods, events, addresses, scheduling, imagePulls, reports, directory },
    startContainer: options.startContainer ?? runAgent,
    scheduleMs: options.scheduleMs ?? 0,
  });
  const admission: Admission = { runtimeClasses: [], podsMax: Number.POSITIVE_INFINITY, ...options.admission };
  const server = await startApiServer({
    ...{ address: block.address(serverNumber), port: 6443, tls, token, faults },
    answer: createAnswer({ namespace, pods, events, watches, faults, admission }),
  });
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf({ url: server.url, ca: tls.cert, namespace })), {
    mode: 0o600,
  });

  return {
    ...{ namespace, token, ca: tls.cert, server, faults, watches, pods, events, addresses, admission },
    /** A kubeconfig file. */
    kubeconfig,
    operator: createOperator({ pods, events, kubelet }),
    /** Closed: no node has room. */
    scheduling,
    /** Closed: no image can be pulled. */
    imagePulls,
    /** Closed: the kubelet does not report that a container has ended, although another pod may already have its address. */
    reports,
    /** Drops the whole history: a new watch cannot start from an earlier version. */
    compact(): void {
      pods.compact();
      events.compact();
    },
    /** Ends everything, including the containers of the pods. */
    async close(): Promise<void> {
      if (server.isUp) await server.down();
      await kubelet.close();
      await block.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function kubeconfigOf({ url, ca, namespace }: { url: string; ca: string; namespace: string }) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'fake',
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake', namespace } }],
    clusters: [
      {
        name: 'fake',
        cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: 'fake', user: { token } }],
  };
}
