import { errorOf, HoldfastError } from './holdfast-error.ts';
import { createPatience, type Patience, type PatienceLimits } from './patience.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** A body of a request that is sent as it is. A stream can be sent once only. */
export type Content = string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** How the body of an answer is read: as it arrives, or as a whole. */
export type Reading = 'stream' | 'json' | 'text' | 'blob' | 'arrayBuffer';

type RepeatingFetch = {
  /** Answers successes alone: everything else is thrown, once it is certain that a repeat is not safe or does not help. */
  fetch(request: Request, reading: Reading, body?: Content): Promise<Response>;
  /** How long the server that was reached, or never was, is waited for. */
  patience(signal?: AbortSignal | null): Patience;
};

/**
 * Repeats what is safe to repeat: requests that change nothing or set something to a value, and those with an `Idempotency-Key`. Any other
 * is repeated only if the server says that it did not begin.
 */
export function createRepeatingFetch(send: Fetch, limits: PatienceLimits): RepeatingFetch {
  let reached = false;
  const patience = (signal?: AbortSignal | null) =>
    createPatience(() => (reached ? limits.reconnectMs : limits.connectMs), signal);

  const attempt = async (request: Request, reading: Reading): Promise<Response | HoldfastError> => {
    let response: Response;
    try {
      response = await send(request);
      reached = true;
      // An answer that breaks off in its middle is none.
      if (reading !== 'stream' && response.body) response = new Response(await response.arrayBuffer(), response);
    } catch (cause) {
      request.signal.throwIfAborted();
      return new HoldfastError('connection-failed', `No answer from ${new URL(request.url).origin}`, { cause });
    }
    if (reading === 'json' && isPage(response)) return await errorOf(response);
    return response.ok || response.status === 304 ? response : await errorOf(response);
  };

  return {
    patience,
    async fetch(request, reading, body) {
      const left = patience(request.signal);
      let wasCut = false;
      for (;;) {
        const answer = await attempt(tryOf(request, body), reading);
        if (answer instanceof Response) return answer;
        if (body instanceof ReadableStream) throw answer;
        // The try that was cut off has deleted it.
        if (wasCut && request.method === 'DELETE' && isGone(answer)) return new Response(null, { status: 204 });
        wasCut ||= answer.code === 'connection-failed' || answer.code === 'unexpected-answer';
        const helps = didNotBegin(answer) || (isRepeatable(request) && mayPass(answer));
        if (!helps || !(await left.again(answer.retryAfterSeconds))) throw answer;
      }
    },
  };
}

/** A body can be read once, so each try has a copy. The copy of a body in a request would be in memory until the end, so content is not in it. */
const tryOf = (request: Request, body?: Content) =>
  body === undefined
    ? request.clone()
    : new Request(request, { body, ...(body instanceof ReadableStream && { duplex: 'half' }) });

const setsToAValue: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']);

/** A condition such as `If-Match` does not hold any more after the first try has done its work. */
function isRepeatable({ method, headers }: Request): boolean {
  if (headers.has('Idempotency-Key')) return true;
  const isConditional = method !== 'GET' && (headers.has('If-Match') || headers.has('If-None-Match'));
  return setsToAValue.has(method) && !isConditional;
}

/** Whether a repeat may have another answer. */
function mayPass({ code, status, retryAfterSeconds }: HoldfastError): boolean {
  if (code === 'connection-failed' || status === 503) return true;
  if (code === 'unexpected-answer') return status === 502 || status === 504;
  return retryAfterSeconds !== undefined && (status === 429 || status === 409);
}

/** A proxy, or another server, answers with a page for people. */
const isPage = ({ headers }: Response) => headers.get('Content-Type')?.startsWith('text/html') ?? false;

const isGone = ({ status }: HoldfastError) => status === 404 || status === 410;

const didNotBegin = ({ code }: HoldfastError) => code === 'draining' || code === 'session-starting';
