import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Collection } from '../server/collection.ts';
import { type Pod, type PodEvent, timestamp } from '../server/objects.ts';
import type { Addresses } from './addresses.ts';
import { containerEnvironment } from './container-environment.ts';
import type { Gate } from './gate.ts';
import { setEnded, setRunning, setScheduled, setUnschedulable, setWaiting } from './pod-status.ts';
import { recordEvent } from './record-event.ts';
import type { Container, Exit, StartContainer } from './start-container.ts';

export type LifeDependencies = {
  pods: Collection<Pod>;
  events: Collection<PodEvent>;
  addresses: Addresses;
  scheduling: Gate;
  imagePulls: Gate;
  reports: Gate;
  startContainer: StartContainer;
  directory: string;
  scheduleMs: number;
};

/** Why a pod ends, unless its container ended by itself. */
export type Ending = { reason?: string; message?: string; containerReason?: string };

export type PodLife = ReturnType<typeof startPodLife>;

const node = 'node-1';

/** Takes one pod from Pending to its end, as the scheduler and the kubelet do together. */
export function startPodLife(deps: LifeDependencies, pod: Pod) {
  const { name, uid } = pod.metadata;
  const over = Promise.withResolvers<'over'>();
  const timers: NodeJS.Timeout[] = [];
  let container: Container | null = null;
  let ending: Ending = {};
  let isOver = false;
  let stopping = false;

  /** A pod of the same name may have come after this one. */
  function update(change: (draft: Pod) => void): Pod | null {
    if (isOver || deps.pods.find(name)?.metadata.uid !== uid) return null;
    return deps.pods.update(name, change) ?? null;
  }
  const tell = (reason: string, message: string, type?: 'Warning') =>
    recordEvent(deps.events, pod, { reason, message, ...(type && { type }) });

  async function live(): Promise<void> {
    await Promise.race([delay(deps.scheduleMs, undefined, { ref: false }), over.promise]);
    if (deps.scheduling.closed) {
      update(setUnschedulable);
      tell('FailedScheduling', '0/1 nodes are available: 1 Insufficient cpu.', 'Warning');
      await Promise.race([deps.scheduling.passed(), over.promise]);
    }
    update((draft) => setScheduled(draft, node));
    update((draft) => setWaiting(draft, { reason: 'ContainerCreating' }));
    if (deps.imagePulls.closed) await failToPull();
    if (!isOver) await runContainer();
  }

  async function failToPull(): Promise<void> {
    const message = `Failed to pull image "${pod.spec.containers[0]?.image}": not found`;
    update((draft) => setWaiting(draft, { reason: 'ErrImagePull', message }));
    tell('Failed', message, 'Warning');
    update((draft) => setWaiting(draft, { reason: 'ImagePullBackOff', message: 'Back-off pulling image' }));
    tell('BackOff', 'Back-off pulling image', 'Warning');
    await Promise.race([deps.imagePulls.passed(), over.promise]);
  }

  async function runContainer(): Promise<void> {
    const address = deps.addresses.take();
    const folder = join(deps.directory, uid);
    for (const part of ['workspace', 'tmp']) mkdirSync(join(folder, part), { recursive: true });
    const startedAt = timestamp();
    container = deps.startContainer({ uid, env: containerEnvironment(pod, { address, folder }), folder });
    update((draft) => setRunning(draft, address));
    tell('Started', 'Started container');
    const { activeDeadlineSeconds } = pod.spec;
    if (activeDeadlineSeconds) timers.push(setTimeout(() => end(deadlineExceeded), activeDeadlineSeconds * 1000));
    const exit = await container.exited.catch((error): Exit => ({ code: 128, output: String(error) }));
    for (const timer of timers) clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true });
    deps.addresses.giveBack(address);
    await Promise.race([deps.reports.passed(), over.promise]);
    const ended = update((draft) => setEnded(draft, { ...ending, terminated: terminated(exit, startedAt) }));
    if (ended?.metadata.deletionTimestamp) deps.pods.remove(name);
  }

  function terminated({ code, output }: Exit, startedAt: string) {
    const reason = ending.containerReason ?? (code === 0 ? 'Completed' : 'Error');
    return { exitCode: code, reason, ...(code !== 0 && { message: output }), startedAt, finishedAt: timestamp() };
  }

  /** Kills the container; the pod fails for this reason. */
  function end(why: Ending): void {
    ending = why;
    container?.signal('SIGKILL');
  }

  return {
    ended: live(),
    end,
    /** Sends SIGTERM, and SIGKILL after the grace; then removes the object. */
    stop(graceSeconds: number): void {
      if (stopping) return;
      stopping = true;
      tell('Killing', 'Stopping container');
      if (!container) {
        deps.pods.remove(name);
        return;
      }
      container.signal('SIGTERM');
      timers.push(setTimeout(() => container?.signal('SIGKILL'), graceSeconds * 1000));
    },
    /** Ends without a report, because the object or the node is gone. */
    abandon(): void {
      isOver = true;
      over.resolve('over');
      container?.signal('SIGKILL');
    },
  };
}

const deadlineExceeded: Ending = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};
