import type { Kubelet } from './kubelet/kubelet.ts';
import { setCondition } from './kubelet/pod-status.ts';
import { recordEvent } from './kubelet/record-event.ts';
import type { Collection } from './server/collection.ts';
import { type DeleteOptions, deletePod } from './server/delete-pod.ts';
import { type Pod, type PodEvent, timestamp } from './server/objects.ts';

type Deps = { pods: Collection<Pod>; events: Collection<PodEvent>; kubelet: Kubelet };

/** Ends pods without the data-plane, each as a real cluster shows it. */
export function createOperator({ pods, events, kubelet }: Deps) {
  return {
    /** `kubectl delete pod`. */
    delete: (name: string, options: DeleteOptions = {}) => deletePod(pods, { name, options }),
    /** The kubelet evicts it for want of memory on the node. */
    evict(name: string): void {
      const message = 'The node was low on resource: memory.';
      recordEvent(events, existing(pods, name), { reason: 'Evicted', message, type: 'Warning' });
      kubelet.lifeOf(name).end({ reason: 'Evicted', message });
    },
    /** The kernel kills the container's main process over its memory limit. */
    oom: (name: string): void => kubelet.lifeOf(name).end({ containerReason: 'OOMKilled' }),
    /** The container's main process is killed. */
    crash: (name: string): void => kubelet.lifeOf(name).end({}),
    /** The node and the container on it are gone. The object stays marked until `collect`, or until it is deleted with a grace of zero. */
    loseNode(name: string): void {
      kubelet.lifeOf(name).abandon();
      pods.update(name, (pod) => {
        pod.metadata.deletionTimestamp = timestamp();
        pod.status.reason = 'NodeLost';
        pod.status.message = `Node ${pod.spec.nodeName} which was running pod ${name} is unresponsive`;
        setCondition(pod, {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'DeletionByTaintManager',
          message: 'Taint manager: deleting due to NoExecute taint',
        });
      });
    },
    /** The garbage collector removes the object of a pod whose node is gone. */
    collect: (name: string) => pods.remove(name),
  };
}

function existing(pods: Collection<Pod>, name: string): Pod {
  const pod = pods.find(name);
  if (!pod) throw new Error(`there is no pod ${name}`);
  return pod;
}
