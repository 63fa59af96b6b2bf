import { expect } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { kubectl } from './kubectl.ts';
import { holdfastNamespace } from './namespaces.ts';
import type { NodeShell } from './node-shell.ts';
import { replicaPods } from './pods.ts';

/**
 * Kills all replicas with SIGKILL, and waits for as many others. A kubelet starts a container that is killed again and again later and later,
 * so each pod gets a successor.
 */
export async function replaceReplicas(node: NodeShell): Promise<void> {
  const killed = await replicaPods();
  await Promise.all(killed.map((replica) => node.killIn(replica, 'main.mjs')));
  const names = killed.map(({ metadata }) => metadata.name);
  const now = ['--grace-period=0', '--force', '--wait=false'];
  await kubectl(['-n', holdfastNamespace, 'delete', 'pod', ...names, ...now]);
  await eventually(async () => {
    const ready = (await replicaPods()).filter(({ metadata }) => !names.includes(metadata.name));
    expect(ready).toHaveLength(killed.length);
  }, 120_000);
}
