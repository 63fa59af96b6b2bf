import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { holdfastNamespace } from '../cluster/namespaces.ts';
import { listenOnNode } from '../cluster/node-listener.ts';
import { replicaPods } from '../cluster/pods.ts';
import { sandboxOf } from '../cluster/sandbox-of.ts';

let holdfast: Holdfast;
const sessions: Record<'none' | 'internet', string> = { none: '', internet: '' };
/** Addresses by the name of what is there, each as `address:port`. All of them listen. */
const listeners: Record<string, string> = {};

beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});
beforeAll(async () => {
  for (const network of ['none', 'internet'] as const)
    sessions[network] = (await holdfast.createSession({ network })).id;
  const target = await holdfast.createSession();
  const neighbour = await sandboxOf(holdfast, target.id);
  const [replica] = await replicaPods();
  const api = 'jsonpath={.spec.clusterIP}';
  listeners.agent = `${neighbour.status.podIP}:8700`;
  listeners['data-plane'] = `${replica?.status.podIP}:8080`;
  listeners.metrics = `${replica?.status.podIP}:9090`;
  listeners.Service = `${await kubectl(['-n', holdfastNamespace, 'get', 'service', 'holdfast', '-o', api])}:80`;
  listeners.Postgres = `${await kubectl(['-n', holdfastNamespace, 'get', 'service', 'holdfast-postgres', '-o', api])}:5432`;
  listeners['API server'] = `${await kubectl(['get', 'service', 'kubernetes', '-o', api])}:443`;
  listeners['API server of the node'] = (
    await kubectl([
      'get',
      'endpoints',
      'kubernetes',
      '-o',
      'jsonpath={.subsets[0].addresses[0].ip}:{.subsets[0].ports[0].port}',
    ])
  ).trim();
  listeners.node = `${neighbour.status.hostIP}:10250`;
  return async () => {
    for (const id of [...Object.values(sessions), target.id]) await holdfast.request('DELETE', `/v1/sessions/${id}`);
  };
});

/** Addresses that lead to a cloud's metadata or to the machine itself. */
const metadata = ['169.254.169.254:80', '169.254.170.2:80', '168.63.129.16:80', '168.63.129.16:32526'];

test.each(['none', 'internet'] as const)(
  'a sandbox of the class %s reaches nothing in the cluster and no metadata',
  async (network) => {
    const tried = [...Object.values(listeners), ...metadata];
    expect(tried).toHaveLength(12);
    // The policies of a cluster need a moment until they hold for a new pod.
    await eventually(async () => expect(await reachedFrom(network, tried)).toEqual([]), 30_000);
  },
);

const resolve = `
import socket
try: print(socket.gethostbyname("kubernetes.default.svc.cluster.local"))
except OSError: print("unresolved")`;

test('a sandbox of the class none resolves no name', async () => {
  expect((await holdfast.runStep(sessions.none, { code: resolve })).stdout).toBe('unresolved\n');
});

// The DNS of the local cluster is a process of the node, which the policy for the pods of kube-dns does not name.
test.skipIf(process.env.HOLDFAST_CLUSTER_IS_LOCAL)('a sandbox of the class internet resolves names', async () => {
  expect((await holdfast.runStep(sessions.internet, { code: resolve })).stdout).toMatch(/^\d+\./);
});

// The listener gives the node addresses that belong to others, so it only runs on a cluster that is the test's own.
test.skipIf(!process.env.HOLDFAST_CLUSTER_IS_LOCAL)(
  'a sandbox of the class internet reaches an address on the internet and no special one, and a sandbox of the class none reaches neither',
  async () => {
    const [internet, ...special] = ['45.45.45.45', '168.63.129.16', '169.254.169.254', '100.64.0.1', '198.18.0.1'];
    const addresses = [internet ?? '', ...special];
    const { spec } = await sandboxOf(holdfast, sessions.internet);
    const close = await listenOnNode(spec.nodeName, { addresses, port: 18_089 });
    try {
      const tried = addresses.map((address) => `${address}:18089`);
      await eventually(async () => {
        expect(await reachedFrom('internet', tried)).toEqual([`${internet}:18089`]);
        expect(await reachedFrom('none', tried)).toEqual([]);
      }, 60_000);
    } finally {
      await close();
    }
  },
  120_000,
);

test('a pod beside the data-plane reaches its API, but neither its metrics nor Postgres nor a sandbox', async () => {
  const name = `stranger-${Date.now()}`;
  const overrides = {
    spec: { containers: [{ name, image: stranger, imagePullPolicy: 'IfNotPresent', command: ['sleep', '600'] }] },
  };
  await kubectl([
    '-n',
    holdfastNamespace,
    'run',
    name,
    `--image=${stranger}`,
    '--restart=Never',
    `--overrides=${JSON.stringify(overrides)}`,
  ]);
  try {
    await kubectl(['-n', holdfastNamespace, 'wait', `pod/${name}`, '--for=condition=Ready', '--timeout=120s']);
    const tried = ['data-plane', 'metrics', 'Postgres', 'agent'].map((key) => listeners[key] ?? '');
    const code = `${connects(tried)}\nprint(json.dumps(reached))`;
    await eventually(async () => {
      const out = await kubectl(['-n', holdfastNamespace, 'exec', name, '--', 'python3', '-c', code]);
      expect(JSON.parse(out)).toEqual([listeners['data-plane']]);
    }, 60_000);
  } finally {
    await kubectl(['-n', holdfastNamespace, 'delete', 'pod', name, '--grace-period=1', '--wait=false']);
  }
});

/** An image with Python that every node of the test has. */
const stranger = 'localhost/holdfast/runtime-python:dev';

async function reachedFrom(network: 'none' | 'internet', addresses: readonly string[]): Promise<string[]> {
  const step = await holdfast.runStep(sessions[network], {
    code: `${connects(addresses)}\nprint(json.dumps(reached))`,
  });
  if (step.status !== 'succeeded') throw new Error(JSON.stringify(step.error ?? step.cause));
  return JSON.parse(step.stdout);
}

/** Python that tries all addresses at once. */
const connects = (addresses: readonly string[]) => `
import json, socket, concurrent.futures
def reaches(address):
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=3).close()
        return True
    except OSError: return False
tried = ${JSON.stringify(addresses)}
with concurrent.futures.ThreadPoolExecutor(len(tried)) as pool:
    reached = [address for address, yes in zip(tried, pool.map(reaches, tried)) if yes]`;
