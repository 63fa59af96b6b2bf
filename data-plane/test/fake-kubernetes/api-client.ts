import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { FakeKubernetes } from './start-fake-kubernetes.ts';

type WatchEvent = {
  type: string;
  object: { kind: string; code?: number; metadata: { name?: string; resourceVersion?: string } };
};

export type Watching = {
  lines: () => string[];
  events: () => WatchEvent[];
  ended: Promise<'end' | 'reset'>;
  close(): void;
};

/** Calls the fake as `kubectl get --raw` would. Paths are below the namespace. */
export function apiClient({ server, ca, token, namespace }: FakeKubernetes) {
  const agent = new Agent({ ca, keepAlive: true });
  const base = `${server.url}/api/v1/namespaces/${namespace}`;

  async function send(
    method: string,
    path: string,
    { body, bearer = token }: { body?: unknown; bearer?: string } = {},
  ) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = { authorization: `Bearer ${bearer}`, 'content-length': Buffer.byteLength(text) };
    const sent = request(`${base}${path}`, { agent, method, headers });
    // If the connection is reset later, the response fails too.
    sent.on('error', () => {}).end(text);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  }

  return {
    /** @throws Error if the connection is refused or reset */
    async call(method: string, path: string, more: { body?: unknown; bearer?: string } = {}) {
      const answer = await send(method, path, more);
      const chunks = await answer.toArray();
      const text = Buffer.concat(chunks).toString();
      return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) };
    },
    /** Opens a watch and collects its lines. The last one may be cut off. */
    async watch(path: string): Promise<Watching> {
      const answer = await send('GET', path);
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      const ended = new Promise<'end' | 'reset'>((resolve) => {
        answer.once('end', () => resolve('end')).once('error', () => resolve('reset'));
      });
      const lines = () => text.split('\n').filter((line) => line !== '');
      return { lines, events: () => lines().map((line) => JSON.parse(line)), ended, close: () => answer.destroy() };
    },
    close: () => agent.destroy(),
  };
}

/** A pod that runs an agent. The agent only has to answer. */
export function podManifest(name: string, spec: object = {}) {
  const env = [
    { name: 'HOLDFAST_ENV', value: 'development' },
    { name: 'HOLDFAST_INSECURE_SKIP_AGENT_AUTH', value: 'true' },
    { name: 'HOLDFAST_SANDBOX_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
  ];
  const containers = [{ name: 'agent', image: 'agent:1', env }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'agent' } },
    spec: { containers, terminationGracePeriodSeconds: 5, ...spec },
  };
}
