import { hostname } from 'node:os';
import type { Sandbox } from '../runtime.ts';
import { agentPort } from './container-options.ts';
import { ownLabels } from './labels.ts';
import { hasEnded, isRunning, type SeenContainer } from './seen-container.ts';

/** A container in the words of the seam. Pure but for the machine's name. */
export function observedSandbox({ labels, status, address, createdAt }: SeenContainer): Sandbox {
  const running = isRunning(status) && address !== null;
  return {
    name: labels[ownLabels.sandbox] ?? '',
    uid: labels[ownLabels.uid] ?? '',
    node: hostname(),
    endpoint: running ? `http://${address}:${agentPort}` : null,
    phase: running ? 'running' : hasEnded(status) ? 'ended' : 'starting',
    createdAt,
  };
}
