import type { IncomingHttpHeaders } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
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
  /** The protocol to which the connection is to change. If the agent does not change it, its answer is that of any request. */
  upgrade?: { protocol: string; onConnection(connection: Duplex): void };
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
    const exchange = new Exchange({ request, onChunk, resolve, reject });
    if (exchange.isOver) return;
    const { method, path, headers, body, upload, upgrade } = request;
    dispatcher.dispatch(
      {
        method,
        path,
        body: upload ? Readable.from(upload, { objectMode: false }) : body === undefined ? null : JSON.stringify(body),
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        headersTimeout: 0,
        bodyTimeout: 0,
        ...(upgrade && { upgrade: upgrade.protocol }),
      },
      exchange,
    );
  });
}

type ExchangeInput = {
  request: AgentRequest;
  onChunk: OnChunk;
  resolve: () => void;
  reject: (error: AgentError) => void;
};

/** One request and its answer, as the dispatcher reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  isOver = false;
  private readonly input: ExchangeInput;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly onAbort: (() => void) | undefined;
  private controller: Dispatcher.DispatchController | null = null;
  private status = 0;
  private informational = 0;
  private errorBody: GatheredBytes | null = null;
  private givenUp: AgentError | null = null;

  constructor(input: ExchangeInput) {
    this.input = input;
    const { method, path, deadlineMs, signal } = input.request;
    if (deadlineMs !== null)
      this.timer = setTimeout(() => this.giveUp(`${method} ${path} took longer than ${deadlineMs} ms`), deadlineMs);
    if (!signal) return;
    this.onAbort = () => this.giveUp('the request was aborted', signal.reason);
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.givenUp) controller.abort(this.givenUp);
    else this.controller = controller;
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    _status: number,
    _headers: IncomingHttpHeaders,
    connection: Duplex,
  ): void {
    this.end();
    this.input.request.upgrade?.onConnection(connection);
    this.input.resolve();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    if (status < 200 && ++this.informational > informationalMax)
      controller.abort(new AgentError('invalid', 'the answer does not begin'));
    if (isAnswer(status)) this.input.request.onHeaders?.(headers, status);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // The parser gives an empty chunk whenever it is resumed; to pause on that would never end.
    if (chunk.length === 0) return;
    try {
      const taken = isAnswer(this.status) ? this.input.onChunk(chunk) : this.addToError(chunk);
      if (taken) pauseUntil(taken, controller);
    } catch (error) {
      controller.abort(error as Error);
    }
  }

  onResponseEnd(): void {
    this.end();
    if (isAnswer(this.status)) this.input.resolve();
    else this.input.reject(refusalFrom(this.status, this.errorBody?.bytes ?? Buffer.alloc(0)));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end();
    this.input.reject(error instanceof AgentError ? error : this.failure(error.message, error));
  }

  /** A request that waits for a connection cannot be removed from the dispatcher; it is aborted when it gets one. */
  private giveUp(message: string, cause?: unknown): void {
    if (this.givenUp) return;
    this.givenUp = this.failure(message, cause);
    this.controller?.abort(this.givenUp);
    this.end();
    this.input.reject(this.givenUp);
  }

  private failure(message: string, cause: unknown): AgentError {
    return new AgentError(this.controller ? 'cut' : 'undelivered', message, { cause });
  }

  private addToError(chunk: Buffer): undefined {
    this.errorBody ??= new GatheredBytes({ bytesMax: errorBodyBytesMax });
    this.errorBody.add(chunk);
  }

  private end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.onAbort) this.input.request.signal?.removeEventListener('abort', this.onAbort);
  }
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
