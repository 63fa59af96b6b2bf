import { isIPv6 } from 'node:net';
import type { V1Pod } from '@kubernetes/client-node';
import type { Sandbox } from '../../runtime.ts';
import { podCause } from '../pod/pod-cause.ts';
import { agentPort } from '../pod/pod-manifest.ts';
import { hasEnded, isRunning } from '../pod/pod-state.ts';

/** A pod in the words of the seam. Its times have a resolution of a second. Pure. */
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
  };
}

const endpoint = (address: string) => `http://${isIPv6(address) ? `[${address}]` : address}:${agentPort}`;
