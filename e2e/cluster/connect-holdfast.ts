import { client } from '../../data-plane/test/support/start-holdfast.ts';
import { kubectl } from './kubectl.ts';
import { holdfastNamespace } from './namespaces.ts';
import { replicaPods } from './pods.ts';
import { type Reached, reach } from './reach.ts';

export type Holdfast = Awaited<ReturnType<typeof connectHoldfast>>;
/** `headers` have the API key. */
export type Client = ReturnType<typeof client> & { name: string; url: string; headers: Record<string, string> };
/** A replica, with the URL of its metrics. */
export type ReplicaClient = Client & { metricsUrl: string };

/** An event that a client receives about a step. */
export type StepEvent = Client['streamStep'] extends (...args: never[]) => AsyncGenerator<infer Event> ? Event : never;

/** Connects to the installed Holdfast through its Service, and to each replica on demand. `close` ends forwarded ports. */
export async function connectHoldfast() {
  const headers = { 'x-api-key': await apiKey() };
  const reached: Reached[] = [];
  const through = async (kind: 'service' | 'pod', name: string, port: number): Promise<Client> => {
    const one = await reach({ kind, name, port });
    reached.push(one);
    return { ...client(one.url, headers), name, url: one.url, headers };
  };
  return {
    ...(await through('service', 'holdfast', 80)),
    /** The replicas that accept requests now. */
    replicas: async (): Promise<ReplicaClient[]> =>
      await Promise.all(
        (await replicaPods()).map(async ({ metadata: { name } }) => ({
          ...(await through('pod', name, 8080)),
          metricsUrl: (await through('pod', name, 9090)).url,
        })),
      ),
    close: async () => {
      await Promise.all(reached.map((one) => one.close()));
    },
  };
}

/** The API key in the Secret that the Deployment names. */
async function apiKey(): Promise<string> {
  const named = await kubectl([
    '-n',
    holdfastNamespace,
    'get',
    'deployment',
    'holdfast',
    '-o',
    'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="HOLDFAST_BOOTSTRAP_API_KEY")].valueFrom.secretKeyRef.name}',
  ]);
  const template = '{{index .data "api-key" | base64decode}}';
  return await kubectl(['-n', holdfastNamespace, 'get', 'secret', named, '-o', `go-template=${template}`]);
}
