import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from '../generated/api.ts';
import { keyedOperations } from '../generated/keyed-operations.ts';
import { HoldfastError } from './holdfast-error.ts';
import { openSocket, type Socket, type WebSocketConstructor } from './open-socket.ts';
import type { Patience, PatienceLimits } from './patience.ts';
import { type Content, createRepeatingFetch, type Fetch, type Reading } from './repeating-fetch.ts';

/** Every operation of the API by its method and path, with types generated from its OpenAPI document. Refusals are thrown. */
export type Api = Client<paths>;

/** The connection that all parts of a client share. */
export type Connection = {
  api: Api;
  /** The address of the server, without a slash at its end. */
  url: string;
  patience(signal?: AbortSignal | null): Patience;
  /** In the place of `fetch` for a request without a body, to which it gives this one. */
  fetchWith(content: Content): Fetch;
  /** Begins to open a WebSocket at a path of the server. */
  openSocket(path: string): Socket;
};

type ConnectionOptions = {
  url: string;
  apiKey?: string | undefined;
  fetch: Fetch;
  headers?: Record<string, string> | undefined;
  webSocket?: WebSocketConstructor | undefined;
  limits: PatienceLimits;
};

export function createConnection(options: ConnectionOptions): Connection {
  const { apiKey, fetch, webSocket, limits } = options;
  const url = options.url.replace(/\/+$/, '');
  const repeating = createRepeatingFetch(fetch, limits);
  const headers = { ...options.headers, ...(apiKey && { Authorization: `Bearer ${apiKey}` }) };
  /** Missing if the caller's own middleware has replaced the request, which then is not read ahead. */
  const readings = new WeakMap<Request, Reading>();
  const api = createClient<paths>({
    baseUrl: url,
    fetch: (request) => repeating.fetch(request, readings.get(request) ?? 'stream'),
    headers,
    pathSerializer: fillPath,
    // A redirect to HTTPS makes a GET of a POST, whose answer is another one.
    redirect: 'manual',
  });
  api.use(idempotencyKeys, {
    onRequest: ({ request, options }) => void readings.set(request, options.parseAs),
  });
  return {
    api,
    url,
    patience: repeating.patience,
    fetchWith: (content) => (request) => repeating.fetch(request, 'json', content),
    openSocket: (path) => openSocket({ url: url + path, headers, webSocket }),
  };
}

/** These only look, or come to the same however often they are sent, so they are as safe to repeat as those that take a key. */
const harmless: ReadonlySet<string> = new Set([
  'POST /v1/sessions/{sessionId}/complete',
  'POST /v1/sessions/{sessionId}/abort',
  'POST /v1/sessions/{sessionId}/resume',
  'POST /v1/sessions/{sessionId}/recover',
  'POST /v1/sessions/{sessionId}/proposals/{proposalId}/commit',
  'POST /v1/sessions/{sessionId}/proposals/{proposalId}/reject',
  'POST /v1/sessions/{sessionId}/steps/{stepId}/interrupt',
  'POST /v1/sessions/{sessionId}/processes/{processId}/terminal',
  'POST /v1/sessions/{sessionId}/directories',
  'POST /v1/sessions/{sessionId}/files/links',
  'POST /v1/sessions/{sessionId}/contexts/{contextId}/complete',
  'POST /v1/sessions/{sessionId}/contexts/{contextId}/inspect',
  'POST /v1/sessions/{sessionId}/contexts/{contextId}/parse',
  'POST /v1/sessions/{sessionId}/operations/{operationId}/result',
] satisfies `POST ${keyof paths}`[]);

/** One key for a call, which all of its repeats carry. */
const idempotencyKeys: Middleware = {
  onRequest({ request, schemaPath }) {
    const operation = `${request.method} ${schemaPath}`;
    if (!keyedOperations.has(operation) && !harmless.has(operation)) return;
    if (!request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', newKey());
  },
};

/** A key that no other call has. `crypto.randomUUID` is missing on pages without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Encodes identifiers, and each part of the path of a file. URL parsers resolve `..`, also if it is encoded, so that such a path would name
 * something else, and a deletion delete it.
 * @throws HoldfastError `invalid-request`
 */
function fillPath(template: string, parameters: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(parameters[name]);
    const parts = name === 'path' ? value.split('/').filter((part) => part !== '.') : [value];
    if (parts.join('') === '' || parts.some((part) => part === '.' || part === '..')) {
      throw new HoldfastError('invalid-request', 'The request is not valid', {
        detail: `${JSON.stringify(value)} cannot be a ${name}`,
      });
    }
    return parts.map(encodeURIComponent).join('/');
  });
}

/** The answer of a call that has one. */
export async function answerOf<Answer>(call: Promise<{ data?: Answer | undefined }>): Promise<Answer> {
  return (await call).data as Answer;
}

/** The headers of a request for server-sent events. */
export const eventStream = { Accept: 'text/event-stream' };

/** Options of every call. */
export type CallOptions = {
  /** Ends the call; the promise or the iteration rejects with the signal's reason. The work at the server goes on. */
  signal?: AbortSignal | undefined;
};
