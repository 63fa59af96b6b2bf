import { isIPv6 } from 'node:net';
import type { V1Pod } from '@kubernetes/client-node';
import type { Sandbox } from '../../runtime.ts';
import { podCause } from '../pod/pod-cause.ts';
import { ownLabels } from '../pod/pod-labels.ts';
import { agentPort } from '../pod/pod-manifest.ts';
import { hasEnded, isRunning } from '../pod/pod-state.ts';

/** Describes a pod as a sandbox. Times are in whole seconds. Pure. */
export function sandboxFromPod(pod: V1Pod): Sandbox {
  const { metadata, spec, status } = pod;
  const cause = podCause({ pod, gone: false });
  const running = isRunning(pod);
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    node: spec?.nodeName ?? '',
    endpoint: running ? endpoint(status?.podIP ?? '') : null,
    phase: running ? 'running' : hasEnded(pod) ? 'ended' : 'starting',
    createdAt: new Date(metadata?.creationTimestamp ?? 0),
    ...(cause && { cause }),
    ...(!metadata?.labels?.[ownLabels.database] && { isUnidentified: true }),
  };
}

const endpoint = (address: string) => `http://${isIPv6(address) ? `[${address}]` : address}:${agentPort}`;
