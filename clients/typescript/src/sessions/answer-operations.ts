import type { Operation, OperationResult, Usage } from '../generated/api.ts';
import type { Connection } from '../http/create-api.ts';
import { isRefusal } from '../http/holdfast-error.ts';
import { paged } from '../http/paged.ts';
import { followSession } from './follow-session.ts';

/** One call of an operation by code in the sandbox. */
export type OperationCall = {
  operation: Operation;
  /** Aborts when the answers are stopped. */
  signal: AbortSignal;
  /** Adds to the answer what it cost, which the session's budget is charged. */
  reportUsage(usage: Usage): void;
};

/** Throw it in the function of an operation: the code that called gets an `OperationError` with this message and name. */
export class OperationError extends Error {
  constructor(message: string, { name = 'OperationError' }: { name?: string } = {}) {
    super(message);
    this.name = name;
  }
}

/**
 * Answers a call with a value that JSON can hold. If it throws, the code learns only that the function has failed, but for an
 * `OperationError`, which reaches the code. The arguments come from the sandbox, so check them.
 */
// biome-ignore lint/suspicious/noExplicitAny: the arguments are JSON of any shape, as from JSON.parse.
export type OperationFunction = (args: any[], call: OperationCall) => unknown;

/** The handling of failures while operations are answered. */
export type AnswerOptions = {
  /** Hears of a failure that ends the answers, such as a key without the scope `host`. Without it, it is an unhandled rejection. */
  onError?: ((error: unknown) => void) | undefined;
  /** Hears of an error that the function has thrown, which is no `OperationError`. Without it, the console shows it. */
  onFailed?: ((error: unknown, operation: Operation) => void) | undefined;
};

/** Answers that go on until they are stopped, or their `using` block ends. */
export type OperationAnswering = Disposable & {
  /** Ends the answers. */
  stop(): void;
};

export type OperationAnswers = {
  on(name: string, answer: OperationFunction, options?: AnswerOptions): OperationAnswering;
  /** Something waits for an answer, maybe. */
  look(): void;
};

/**
 * Answers the calls of operations in one session, whichever client runs the code. An event is only a hint: the list of open calls says which
 * they are, so none is missed when a connection breaks.
 */
export function createOperationAnswers(connection: Connection, sessionId: string): OperationAnswers {
  const functions = new Map<string, Answer>();
  /** Calls whose function has begun, and those of them that were answered since the last look began: its list may still have them. */
  const begun = new Set<string>();
  const answered = new Set<string>();
  let stop = new AbortController();
  let looks: 'idle' | 'looking' | 'again' = 'idle';
  let fail: (error: unknown) => void = () => {};

  const look = async () => {
    if (functions.size === 0) return;
    if (looks !== 'idle') {
      looks = 'again';
      return;
    }
    const { signal } = stop;
    try {
      do {
        looks = 'looking';
        for (const id of answered) begun.delete(id);
        answered.clear();
        for await (const operation of pending(connection, sessionId, signal)) {
          const answer = functions.get(operation.name);
          if (!answer || begun.has(operation.id)) continue;
          begun.add(operation.id);
          void answerOne(connection, { operation, ...answer, signal })
            .catch((error) => signal.aborted || fail(error))
            .finally(() => answered.add(operation.id));
        }
      } while ((looks as string) === 'again');
    } catch (error) {
      if (!signal.aborted && !isRefusal(error, 'session-ended')) fail(error);
    } finally {
      looks = 'idle';
    }
  };

  const watch = async (signal: AbortSignal) => {
    try {
      for await (const event of followSession(connection, sessionId, { from: 'now', signal })) {
        if (event.type === 'operation_request') void look();
      }
    } catch (error) {
      if (!signal.aborted && !isRefusal(error, 'session-ended')) fail(error);
    }
  };

  return {
    look: () => void look(),
    on(name, ask, { onError, onFailed = showFailed } = {}) {
      const isFirst = functions.size === 0;
      const answer = { ask, onFailed };
      functions.set(name, answer);
      fail = (error) => (onError ? onError(error) : void Promise.reject(error));
      if (isFirst) {
        stop = new AbortController();
        void watch(stop.signal);
      }
      void look();
      const end = () => {
        if (functions.get(name) === answer) functions.delete(name);
        if (functions.size === 0) stop.abort();
      };
      return { stop: end, [Symbol.dispose]: end };
    },
  };
}

const pending = ({ api }: Connection, sessionId: string, signal: AbortSignal) =>
  paged(async (cursor) => {
    const params = { path: { sessionId }, query: { status: 'pending' as const, ...cursor } };
    const { data } = await api.GET('/v1/sessions/{sessionId}/operations', { params, signal });
    return data ?? { items: [] };
  });

type Answer = { ask: OperationFunction; onFailed: NonNullable<AnswerOptions['onFailed']> };

const showFailed: Answer['onFailed'] = (error, { name }) =>
  console.error(`The function for the operation ${name} has failed:`, error);

async function answerOne(
  { api }: Connection,
  { operation, ask, onFailed, signal }: Answer & { operation: Operation; signal: AbortSignal },
): Promise<void> {
  let usage: Usage | undefined;
  const call: OperationCall = {
    operation,
    signal,
    reportUsage(spent) {
      usage = spent;
    },
  };
  let result: OperationResult;
  try {
    result = { value: ((await ask(operation.arguments, call)) ?? null) as never };
  } catch (error) {
    // The text of any other error may have secrets of the host, which are not for the code.
    const isForCode = error instanceof OperationError;
    if (!isForCode) onFailed(error, operation);
    const { name, message } = isForCode ? error : new OperationError('the function of the host has failed');
    result = { error: { name, message } };
  }
  const path = { sessionId: operation.sessionId, operationId: operation.id };
  const send = async (result: OperationResult) => {
    const body = usage ? { ...result, usage } : result;
    await api.POST('/v1/sessions/{sessionId}/operations/{operationId}/result', { params: { path }, body, signal });
  };
  await send(result).catch(async (error) => {
    // An earlier answer counts, which may be this one, sent before a connection broke.
    if (isRefusal(error, 'operation-ended')) return;
    if (!cannotBeSent(error)) throw error;
    await send({ error: { name: 'TypeError', message: 'the answer of the host is too large, or not JSON' } });
  });
}

/** JSON throws a TypeError for a value that it cannot hold. */
const cannotBeSent = (error: unknown) =>
  error instanceof TypeError || isRefusal(error, 'invalid-request') || isRefusal(error, 'body-too-large');
