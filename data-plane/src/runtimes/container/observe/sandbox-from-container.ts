import { hostname } from 'node:os';
import type { Sandbox } from '../../runtime.ts';
import { agentPort } from '../container-options.ts';
import { type EngineContainer, hasEnded, isRunning } from '../engine/engine-container.ts';
import { ownLabels } from '../engine/labels.ts';

/** A container in the words of the seam. Pure but for the machine's name. */
export function sandboxFromContainer({ labels, status, address, createdAt }: EngineContainer): Sandbox {
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
