import type { Dispatcher } from 'undici';
import { AgentError, refusalFrom } from './agent-error.ts';

const errorBodyBytesMax = 64 * 1024;

export type AgentRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: object;
  headers: Record<string, string>;
  /** How long the answer's head may take, in milliseconds; 0 means for ever. */
  headersTimeoutMs: number;
  /** How long the body may be silent, in milliseconds; 0 means for ever. */
  bodyTimeoutMs: number;
  signal?: AbortSignal;
};

/**
 * Sends one request and gives the chunks of a 2xx body to `onChunk` as they arrive; resolves at the end of the body.
 * An exception in `onChunk` ends the connection and rejects.
 * @throws AgentError
 */
export function sendToAgent(
  dispatcher: Dispatcher,
  request: AgentRequest,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let status = 0;
    const errorBody: Buffer[] = [];
    let errorBytes = 0;
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    dispatcher.dispatch(
      {
        method: request.method,
        path: request.path,
        body,
        headers: body === null ? request.headers : { ...request.headers, 'content-type': 'application/json' },
        headersTimeout: request.headersTimeoutMs,
        bodyTimeout: request.bodyTimeoutMs,
      },
      {
        onRequestStart(controller) {
          sent = true;
          const { signal } = request;
          if (signal?.aborted) controller.abort(signal.reason);
          else signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
        },
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(controller, chunk) {
          if (status >= 200 && status < 300) {
            try {
              onChunk(chunk);
            } catch (error) {
              controller.abort(error as Error);
            }
            return;
          }
          errorBytes += chunk.length;
          if (errorBytes > errorBodyBytesMax)
            controller.abort(new AgentError('invalid', 'the error answer is too long'));
          else errorBody.push(chunk);
        },
        onResponseEnd() {
          if (status >= 200 && status < 300) resolve();
          else reject(refusalFrom(status, Buffer.concat(errorBody)));
        },
        onResponseError(_controller, error) {
          if (error instanceof AgentError) reject(error);
          else reject(new AgentError(sent ? 'cut' : 'undelivered', error.message, { cause: error }));
        },
      },
    );
  });
}
