import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AgentError, refusalFrom } from './agent-error.ts';
import { GatheredBytes } from './gathered-bytes.ts';

const errorBodyBytesMax = 64 * 1024;
/** Informational answers (RFC 9110, 15.2) before the one that counts. */
const informationalMax = 8;

export type AgentRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: object;
  /** A body that is sent as it comes, instead of `body`. If the answer comes first, the rest is not read. */
  upload?: AsyncIterable<Uint8Array>;
  headers: Record<string, string>;
  /** How long the whole request may take, from the queue to the last byte, in milliseconds; null means for ever. */
  deadlineMs: number | null;
  signal?: AbortSignal;
  /** Called with the head of any answer but a refusal. */
  onHeaders?: (headers: IncomingHttpHeaders, status: number) => void;
};

/** Takes a part of a body. If it returns a promise, the rest is read when that resolves. */
export type OnChunk = (chunk: Buffer) => undefined | Promise<unknown>;

/**
 * Sends one request and gives the chunks of an answer's body to `onChunk` as they arrive; resolves at the end of the body.
 * An exception in `onChunk`, or its promise's rejection, ends the connection and rejects.
 * @throws AgentError
 */
export function sendToAgent(dispatcher: Dispatcher, request: AgentRequest, onChunk: OnChunk): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let status = 0;
    let informational = 0;
    const errorBody = new GatheredBytes({ bytesMax: errorBodyBytesMax });
    const json = request.body === undefined ? null : JSON.stringify(request.body);
    const { deadlineMs, signal } = request;
    let abort: ((error: Error) => void) | null = null;
    let givenUp: AgentError | null = null;
    // A request that waits for a connection cannot be removed from the dispatcher; it is aborted when it gets one.
    const giveUp = (message: string, cause?: unknown) => {
      if (givenUp) return;
      givenUp = new AgentError(sent ? 'cut' : 'undelivered', message, { cause });
      abort?.(givenUp);
      settle(() => reject(givenUp));
    };
    const onAbort = () => giveUp('the request was aborted', signal?.reason);
    const late = () => giveUp(`${request.method} ${request.path} took longer than ${deadlineMs} ms`);
    const timer = deadlineMs === null ? undefined : setTimeout(late, deadlineMs);
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      outcome();
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    dispatcher.dispatch(
      {
        method: request.method,
        path: request.path,
        body: request.upload ? Readable.from(request.upload, { objectMode: false }) : json,
        headers: json === null ? request.headers : { ...request.headers, 'content-type': 'application/json' },
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(controller) {
          if (givenUp) return controller.abort(givenUp);
          sent = true;
          abort = (error) => controller.abort(error);
        },
        onResponseStart(controller, statusCode, headers) {
          status = statusCode;
          if (status < 200 && ++informational > informationalMax)
            controller.abort(new AgentError('invalid', 'the answer does not begin'));
          if (request.onHeaders && isAnswer(status)) request.onHeaders(headers, status);
        },
        onResponseData(controller, chunk) {
          // The parser gives an empty chunk whenever it is resumed; to pause on that would never end.
          if (chunk.length === 0) return;
          try {
            const taken = isAnswer(status) ? onChunk(chunk) : errorBody.add(chunk);
            if (taken) pauseUntil(taken, controller);
          } catch (error) {
            controller.abort(error as Error);
          }
        },
        onResponseEnd() {
          if (isAnswer(status)) settle(resolve);
          else settle(() => reject(refusalFrom(status, errorBody.bytes)));
        },
        onResponseError(_controller, error) {
          const known = error instanceof AgentError;
          const cause = known ? error : new AgentError(sent ? 'cut' : 'undelivered', error.message, { cause: error });
          settle(() => reject(cause));
        },
      },
    );
  });
}

/** 304 is an answer, too: the caller has this version already (RFC 9110, 15.4.5). */
const isAnswer = (status: number) => (status >= 200 && status < 300) || status === 304;

function pauseUntil(taken: Promise<unknown>, controller: Dispatcher.DispatchController): void {
  controller.pause();
  taken.then(
    () => controller.resume(),
    (error) => controller.abort(error),
  );
}
