import { createHash } from 'node:crypto';
import type { Collection } from '../server/collection.ts';
import { type Pod, type PodEvent, timestamp } from '../server/objects.ts';

/** Records an event of the kubelet or the scheduler about a pod. A repeat increases the count of the first event. */
export function recordEvent(
  events: Collection<PodEvent>,
  { metadata: { namespace, name, uid } }: Pod,
  { reason, message, type = 'Normal' }: { reason: string; message: string; type?: 'Normal' | 'Warning' },
): void {
  const now = timestamp();
  const hash = createHash('sha256').update(`${uid} ${reason}`).digest('hex').slice(0, 16);
  const repeated = events.update(`${name}.${hash}`, (event) => {
    event.count += 1;
    event.lastTimestamp = now;
  });
  if (repeated) return;
  events.insert({
    metadata: { name: `${name}.${hash}`, namespace, uid: hash, resourceVersion: '', creationTimestamp: now },
    involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace, name, uid },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: now,
    lastTimestamp: now,
    source: { component: reason === 'FailedScheduling' ? 'default-scheduler' : 'kubelet' },
  });
}
