import { join } from 'node:path';
import { connectHoldfast, type Holdfast } from './connect-holdfast.ts';
import { annotate, makeOwnNamespace } from './install-holdfast.ts';
import { run } from './kubectl.ts';
import { holdfastNamespace } from './namespaces.ts';

const root = join(import.meta.dirname, '../..');
export const chart = join(root, 'deploy/helm/holdfast');

/** Installs Holdfast with `helm install` and the chart's own Postgres. `helm` runs further commands on the release. */
export async function installChart(): Promise<{ holdfast: Holdfast; helm(...args: string[]): Promise<string> }> {
  const tools = (await run('sh', [join(root, 'checks/kubernetes-tools')], { timeoutMs: 300_000 })).trim();
  const helm = (...args: string[]) =>
    run(join(tools, 'helm'), ['-n', holdfastNamespace, ...args], { timeoutMs: 300_000 });
  await makeOwnNamespace();
  await helm('install', 'holdfast', chart, '--set', 'postgresql.enabled=true', '--wait', '--timeout', '4m');
  await annotate('chart');
  return { holdfast: await connectHoldfast(), helm };
}
