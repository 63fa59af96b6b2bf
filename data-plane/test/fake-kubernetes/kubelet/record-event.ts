import { createHash } from 'node:crypto';
import type { Collection } from '../server/collection.ts';
import { type Pod, type PodEvent, timestamp } from '../server/objects.ts';

/** What a kubelet or the scheduler tells about a pod; a repeat raises the count of the first. */
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
