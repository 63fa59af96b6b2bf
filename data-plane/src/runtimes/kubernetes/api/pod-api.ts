import {
  type ConfigurationOptions,
  CoreV1Api,
  type CoreV1Event,
  Observable,
  type V1Pod,
} from '@kubernetes/client-node';
import type { Owner } from '../../runtime.ts';
import { deploymentSelector, isOurs } from '../pod/pod-labels.ts';
import { ApiError, apiError } from './api-error.ts';
import type { Connection } from './connection.ts';

/** Our pods on one page of a consistent list; `next` asks for the one after it. */
export type PodPage = { pods: V1Pod[]; resourceVersion: string; next: string | null };

/**
 * All calls to the API server, one request each. Every call may be repeated; a second `create` finds the name taken.
 * @throws ApiError, also if a call takes longer than 10 s, or than 2 s while the server seems to be down
 */
export type PodApi = {
  create(pod: V1Pod, options?: { dryRun?: boolean }): Promise<V1Pod>;
  /** The pod with that name, or null. */
  get(name: string): Promise<V1Pod | null>;
  listPage(page: { continueFrom: string | null; signal?: AbortSignal }): Promise<PodPage>;
  /** Deletes an incarnation, whose processes get one second to end. Returns false if it is already gone. */
  remove(pod: { name: string; uid: string }): Promise<boolean>;
  /** The cluster's events about this incarnation, the oldest first. */
  events(uid: string): Promise<CoreV1Event[]>;
  /** Whether the server did not answer the last calls. */
  isDown(): boolean;
};

const callMs = 10_000;
const callWhileDownMs = 2000;
const pageSize = 500;
const graceSeconds = 1;

export function createPodApi(
  { configuration }: Pick<Connection, 'configuration'>,
  { namespace, owner }: { namespace: string; owner: Owner },
): PodApi {
  const core = new CoreV1Api(configuration);
  const labelSelector = deploymentSelector(owner.deployment);
  let unanswered = 0;
  const isDown = () => unanswered >= 2;

  return {
    isDown,

    create: (body, { dryRun = false } = {}) =>
      call((options) => core.createNamespacedPod({ namespace, body, ...(dryRun && { dryRun: 'All' }) }, options)),

    get: (name) => unlessGone(call((options) => core.readNamespacedPod({ namespace, name }, options))),

    async listPage({ continueFrom, signal }) {
      const page = { namespace, labelSelector, limit: pageSize, ...(continueFrom && { _continue: continueFrom }) };
      const { items, metadata } = await call((options) => core.listNamespacedPod(page, options), signal);
      const pods = items.filter((pod) => isOurs(owner, pod.metadata?.labels));
      return { pods, resourceVersion: metadata?.resourceVersion ?? '', next: metadata?._continue || null };
    },

    async remove({ name, uid }) {
      const body = { gracePeriodSeconds: graceSeconds, preconditions: { uid } };
      const removal = call((options) => core.deleteNamespacedPod({ namespace, name, body }, options)).then(
        () => true,
        (error) => {
          // The uid does not match: the name belongs to a later incarnation.
          if (error instanceof ApiError && error.kind === 'conflict') return false;
          throw error;
        },
      );
      return (await unlessGone(removal)) ?? false;
    },

    async events(uid) {
      const fieldSelector = `involvedObject.uid=${uid}`;
      const list = await call((options) => core.listNamespacedEvent({ namespace, fieldSelector, limit: 100 }, options));
      return list.items.sort((one, other) => eventTime(one) - eventTime(other));
    },
  };

  async function call<T>(work: (options: ConfigurationOptions) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const deadline = AbortSignal.timeout(isDown() ? callWhileDownMs : callMs);
    try {
      const result = await work(abortedBy(signal ? AbortSignal.any([deadline, signal]) : deadline));
      unanswered = 0;
      return result;
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const error = apiError(cause);
      // A call that ran into its deadline counts like two that failed at once.
      unanswered = error.answered ? 0 : unanswered + (deadline.aborted ? 2 : 1);
      throw error;
    }
  }
}

/** The client library has no other way to pass a signal to a call. */
function abortedBy(signal: AbortSignal): ConfigurationOptions {
  const middleware = {
    pre(context: Parameters<NonNullable<ConfigurationOptions['middleware']>[number]['pre']>[0]) {
      context.setSignal(signal);
      return new Observable(Promise.resolve(context));
    },
    post: <T>(context: T) => new Observable(Promise.resolve(context)),
  };
  return { middleware: [middleware] };
}

async function unlessGone<T>(found: Promise<T>): Promise<T | null> {
  return await found.catch((error) => {
    if (error instanceof ApiError && error.kind === 'not-found') return null;
    throw error;
  });
}

const eventTime = ({ lastTimestamp, eventTime, metadata }: CoreV1Event) =>
  Number(new Date(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0));
