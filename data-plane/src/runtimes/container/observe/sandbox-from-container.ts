import { hostname } from 'node:os';
import type { Sandbox } from '../../runtime.ts';
import { type EngineContainer, hasEnded, isRunning } from '../engine/engine-container.ts';
import { ownLabels } from '../engine/labels.ts';

/** The port on which the agent of every container listens. */
export const agentPort = 8700;

/** Describes a container as a sandbox. Pure except for the machine's host name. */
export function sandboxFromContainer({ labels, status, address, createdAt }: EngineContainer): Sandbox {
  const running = isRunning(status) && address !== null;
  return {
    name: labels[ownLabels.sandbox] ?? '',
    uid: labels[ownLabels.uid] ?? '',
    node: hostname(),
    endpoint: running ? `http://${address}:${agentPort}` : null,
    phase: running ? 'running' : hasEnded(status) ? 'ended' : 'starting',
    createdAt,
    ...(!labels[ownLabels.database] && { isUnidentified: true }),
  };
}
