import type { V1Pod, V1Status } from '@kubernetes/client-node';
import { request } from 'undici';
import { deploymentSelector } from '../pod/pod-labels.ts';
import { apiError, refusal } from './api-error.ts';
import type { Connection } from './connection.ts';
import { jsonLines } from './json-lines.ts';

/** A pod has changed or is gone; a bookmark only moves the resource version on. Times in the pod may be strings still. */
export type PodEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; pod: V1Pod };

export type Watch = {
  /** Events after this one are sent. */
  resourceVersion: string;
  /** The server ends the watch then. */
  timeoutSeconds: number;
  /** A watch on which nothing comes for so long, not even a bookmark (one a minute), is taken for dead. */
  silenceMs: number;
  signal: AbortSignal;
};

const answerMs = 10_000;

/**
 * One watch, from its beginning to its end.
 * @throws ApiError `expired` where the server no longer has the resource version, and for whatever else ends the watch early
 */
export async function* watchPods(
  connection: Pick<Connection, 'server' | 'authenticated'>,
  { namespace, deployment, ...watch }: Watch & { namespace: string; deployment: string },
): AsyncGenerator<PodEvent> {
  const url = new URL(`${connection.server.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/pods`);
  url.search = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    labelSelector: deploymentSelector(deployment),
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
    // It may fail once more after nobody reads it any longer.
    body.on('error', () => {});
    if (statusCode !== 200) throw refusal({ code: statusCode, body: await body.text(), headers });
    for await (const line of jsonLines(body)) yield parseEvent(line);
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
