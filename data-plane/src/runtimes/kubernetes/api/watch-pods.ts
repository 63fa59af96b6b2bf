import type { V1Pod, V1Status } from '@kubernetes/client-node';
import { request } from 'undici';
import type { Owner } from '../../runtime.ts';
import { deploymentSelector, isOurs } from '../pod/pod-labels.ts';
import { apiError, refusal } from './api-error.ts';
import type { Connection } from './connection.ts';
import { jsonLines } from './json-lines.ts';

/** A pod has changed or is gone. A bookmark only advances the resource version. Times in the pod may still be strings. */
export type PodEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; pod: V1Pod };

export type Watch = {
  /** The watch starts after this version. */
  resourceVersion: string;
  /** The server ends the watch after this time. */
  timeoutSeconds: number;
  /** A watch that receives nothing for this time counts as dead. A bookmark arrives every minute. */
  silenceMs: number;
  signal: AbortSignal;
};

const answerMs = 10_000;

/**
 * One watch of our pods, from its start to its end.
 * @throws ApiError `expired` if the server no longer has the resource version, and another kind if the watch ends early for another reason
 */
export async function* watchPods(
  connection: Pick<Connection, 'server' | 'authenticated'>,
  { namespace, owner, ...watch }: Watch & { namespace: string; owner: Owner },
): AsyncGenerator<PodEvent> {
  const url = new URL(`${connection.server.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/pods`);
  url.search = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    labelSelector: deploymentSelector(owner.deployment),
    resourceVersion: watch.resourceVersion,
    timeoutSeconds: String(watch.timeoutSeconds),
  }).toString();
  try {
    const { statusCode, headers, body } = await request(url, {
      ...(await connection.authenticated()),
      signal: watch.signal,
      headersTimeout: answerMs,
      bodyTimeout: watch.silenceMs,
    });
    // The body may fail again after the last read.
    body.on('error', () => {});
    if (statusCode !== 200) throw refusal({ code: statusCode, body: await body.text(), headers });
    for await (const line of jsonLines(body)) {
      const event = parseEvent(line);
      if (event.type === 'BOOKMARK' || isOurs(owner, event.pod.metadata?.labels)) yield event;
    }
  } catch (error) {
    watch.signal.throwIfAborted();
    throw apiError(error);
  }
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
function parseEvent(line: unknown): PodEvent {
  const event = line as { type: PodEvent['type']; object: V1Pod } | { type: 'ERROR'; object: V1Status };
  if (event.type !== 'ERROR') return { type: event.type, pod: event.object };
  throw refusal({ code: event.object.code ?? 500, body: JSON.stringify(event.object), headers: {} });
}
