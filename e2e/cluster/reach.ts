import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { kubectl } from './kubectl.ts';
import { holdfastNamespace } from './namespaces.ts';

export type Reached = { url: string; close(): Promise<void> };

type Target = { kind: 'service' | 'pod'; name: string; port: number };

/** A URL that reaches a Service or pod of the data-plane: its own address on the cluster's nodes, or else a forwarded port. */
export async function reach(target: Target): Promise<Reached> {
  const field = target.kind === 'service' ? '{.spec.clusterIP}' : '{.status.podIP}';
  const address = await kubectl(['-n', holdfastNamespace, 'get', target.kind, target.name, '-o', `jsonpath=${field}`]);
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${target.port}`;
  return (await answers(url)) ? { url, close: async () => {} } : await forward(target);
}

const answers = (url: string) =>
  fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );

async function forward({ kind, name, port }: Target): Promise<Reached> {
  const args = ['-n', holdfastNamespace, 'port-forward', '--address=127.0.0.1', `${kind}/${name}`, `:${port}`];
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const complaints: string[] = [];
  createInterface(child.stderr).on('line', (line) => complaints.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${kind}/${name} cannot be reached:\n${complaints.join('\n')}`)));
    createInterface(child.stdout).on('line', (line) => {
      const local = /from (127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (local) resolve(`http://${local}`);
    });
  });
  return {
    url,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}
